//! The words of an outline row: what it is, where its text does not say so, and the text. Pure.

import type { OutlineRow } from "../../wire/wire";
import { isPath, nearPaths } from "../text/paths";
import { shortPaths } from "../text/ranges";
import { look, queuedWords } from "../ui/kinds";

export interface RowText {
  /** Set apart before the text; empty where the glyph is enough. */
  name: string;
  text: string;
}

export function rowText(row: OutlineRow): RowText {
  const { preview } = row;
  if (row.queued)
    return {
      name: `Queued message, ${queuedWords(row.queued)}`,
      text: preview.replace(/^queue-operation: \w+ /, ""),
    };
  // A reply that is stored with its results says more than that one of them was rejected.
  if (row.rejected && row.role !== "assistant") return { name: "Rejected", text: preview };
  switch (row.kind) {
    case "compaction":
      return { name: "Compaction", text: withoutMarks(preview) };
    case "branch_summary":
      return { name: "Branch summary", text: withoutMarks(preview) };
    case "clearing":
      return { name: "Cleared", text: preview.replace(/ cleared$/, "") };
    case "custom_message": {
      const { name } = look({ kind: row.kind, role: row.role, record: preview });
      if (name === "Queued message")
        return { name, text: preview.replace(/^queued_command: /, "") };
      break;
    }
    case "custom": {
      const { name, glyph } = look({ kind: row.kind, role: row.role, record: preview });
      // Other records' text begins with the agent's own name for them.
      return {
        name: glyph === "custom" ? "" : name,
        text: preview.replace(
          /^(checkpoint|todos:|agent_progress:|queue-operation:( enqueue)?) /,
          "",
        ),
      };
    }
  }
  if (row.inside !== undefined) return { name: "Subagent", text: preview };
  // A call's preview may begin with the tool's name, which stands before it already.
  const [tool] = row.tools;
  const again =
    tool !== undefined && preview.startsWith(tool) && /^(:? |$)/.test(preview.slice(tool.length));
  return {
    name: row.tools.join(", "),
    text: again
      ? preview.slice(tool.length).replace(/^:? /, "")
      : row.role === "assistant" && tool === undefined
        ? withoutMarks(preview)
        : preview,
  };
}

/** The text of a row as it is shown. */
export interface ShownText {
  text: string;
  /** True where the text is one path. */
  path: boolean;
  /** The whole text, where its paths are shortened or it is one. */
  whole: string | undefined;
}

/**
 * Shortens paths in calls, results and records: those inside the folder of the session by it, others
 * to their last two parts. What a person or the model wrote has its paths as they are.
 */
export function shownText(row: OutlineRow, text: string, folder: string | null): ShownText {
  const written =
    row.tools.length === 0 &&
    (row.role === "user" || row.role === "assistant" || row.queued !== undefined);
  if (written || row.kind === "compaction" || row.kind === "branch_summary")
    return { text, path: false, whole: undefined };
  const inside = nearPaths(text, folder);
  // A result may hold paths that are no files, such as those of requests.
  const near = row.kind === "tool_result" ? inside : shortPaths(inside);
  const path = isPath(near);
  return { text: near, path, whole: path || near !== text ? text : undefined };
}

/**
 * First words that a model wrote, without the marks of Markdown: without a heading `Goal`, which says nothing,
 * and the signs of other headings and of bold words.
 */
function withoutMarks(preview: string): string {
  return preview
    .replace(/^#+ Goal\s+/, "")
    .replace(/(^|\s)#{1,6} /g, "$1")
    .replace(/\*\*(?=\S)([^*]*[^*\s])\*\*/g, "$1");
}

/** The last part of a path, under either system's separators. */
export function fileName(path: string): string {
  return path.split(/[/\\]/).findLast((part) => part !== "") ?? path;
}
