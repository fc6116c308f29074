//! How each kind of entry looks and is called.

import { dayAndClock } from "../text/format";
import type {
  CompactionAt,
  FactKind,
  FactView,
  Fate,
  FileRole,
  FoundBy,
  LinkKind,
  PlanAnswer,
  QueueFate,
  QueuedView,
  RecordKind,
  Role,
  SessionName,
  SessionRow,
} from "../../wire/wire";
import type { GlyphName } from "./glyphs";

export interface Look {
  glyph: GlyphName;
  /** CSS variable without the dashes. */
  color: string;
  name: string;
}

interface Known {
  kind: RecordKind;
  role: Role | null;
  is_error?: boolean;
  /** The user stopped the reply. */
  aborted?: boolean;
  /** The user refused the call whose result it is. */
  rejected?: boolean;
  /** A subagent said or did it inside the session. */
  in_subagent?: boolean;
  /** A reply has nothing but what the model thought. */
  thinking?: boolean;
  tools?: readonly string[];
  /** A custom record's type, or the first words by which the backend tells of it. */
  record?: string | null;
}

/** Records that agents keep beside the conversation. */
function customLook(record: string): Look {
  if (/^agent_progress\b/.test(record))
    return { glyph: "subagent", color: "tool", name: "Subagent" };
  if (/^queue-operation\b/.test(record))
    return { glyph: "user", color: "ink-3", name: "Queued message" };
  if (/^(file-history-snapshot|checkpoint)\b/.test(record))
    return { glyph: "checkpoint", color: "ink-3", name: "Checkpoint" };
  if (/^(todos?\b|\d+ to do\b)/.test(record))
    return { glyph: "todo", color: "ink-3", name: "To-do list" };
  return { glyph: "custom", color: "ink-3", name: "Record" };
}

/** What a record is by its kind alone; messages and results of tools look like who speaks. */
const KINDS: Record<Exclude<RecordKind, "message" | "tool_result" | "custom">, Look> = {
  compaction: { glyph: "compaction", color: "compaction", name: "Compaction" },
  branch_summary: { glyph: "bridge", color: "bridge", name: "Branch summary" },
  clearing: { glyph: "clearing", color: "clearing", name: "Cleared" },
  custom_message: { glyph: "system", color: "system", name: "Added by the agent" },
  user_shell: { glyph: "command", color: "user", name: "User command" },
  label: { glyph: "flag", color: "label", name: "Label" },
  model_change: { glyph: "model", color: "ink-3", name: "Model change" },
  thinking_change: { glyph: "model", color: "ink-3", name: "Thinking level" },
  session_info: { glyph: "info", color: "ink-3", name: "Session info" },
  context_edit: { glyph: "custom", color: "ink-3", name: "Context edit" },
  usage: { glyph: "custom", color: "ink-3", name: "Usage" },
  opaque: { glyph: "opaque", color: "ink-3", name: "Unknown record" },
};

/** Tools that write a list of things to do. */
const isTodoTool = (tool: string): boolean =>
  /todo/i.test(tool) || ["update_plan", "TaskCreate", "TaskUpdate"].includes(tool);

/** Tools that start a subagent. */
const SUBAGENT_TOOLS = new Set(["Task", "Agent", "task"]);

/** What a message is by who speaks. */
const ROLES: Record<Role, Look> = {
  user: { glyph: "user", color: "user", name: "User" },
  assistant: { glyph: "assistant", color: "assistant", name: "Assistant" },
  tool: { glyph: "result", color: "tool", name: "Tool result" },
  system: { glyph: "system", color: "system", name: "System" },
};

/** Messages that stand in the user's place; some the user wrote. */
function customMessageLook(record: string): Look {
  if (/^queued_command\b/.test(record))
    return { glyph: "user", color: "user", name: "Queued message" };
  return KINDS.custom_message;
}

/** A reply that calls tools may be stored with their results, and what failed is one of these. */
function failureName(role: Role | null, tools: readonly string[]): string {
  if (role === "tool") return "Failed tool";
  return tools.length > 0 ? "Failed call or message" : "Failed message";
}

/** True for a reply that has nothing but what the model thought; summaries have words of their own. */
export function isThinking(entry: Pick<Known, "kind" | "role" | "thinking">): boolean {
  return entry.thinking === true && entry.kind === "message" && entry.role === "assistant";
}

export function look(entry: Known): Look {
  const { kind, role } = entry;
  if (entry.in_subagent && role !== null) {
    // Its message stands in a record of the agent's own kind.
    const said = kind === "custom" ? "message" : kind;
    const own = look({ ...entry, kind: said, in_subagent: false });
    return { ...own, name: `${own.name} in a subagent` };
  }
  if (kind === "custom") return customLook(entry.record ?? "");
  if (kind === "custom_message") return customMessageLook(entry.record ?? "");
  if (kind !== "message" && kind !== "tool_result") return KINDS[kind];
  if (entry.rejected)
    return {
      glyph: "user",
      color: "user",
      name: role === "assistant" ? "Holds a rejected call" : "Rejected",
    };
  if (entry.aborted) return { glyph: "stop", color: "user", name: "Stopped by the user" };
  if (entry.is_error)
    return {
      glyph: "failed",
      color: "error",
      name: failureName(role, entry.tools ?? []),
    };
  if (role === "assistant" && entry.tools?.some(isTodoTool))
    return { glyph: "todo", color: "tool", name: "To-do list" };
  if (role === "assistant" && entry.tools && entry.tools.length > 0)
    return {
      glyph: entry.tools.some((tool) => SUBAGENT_TOOLS.has(tool)) ? "subagent" : "tool",
      color: "tool",
      name: "Tool call",
    };
  if (isThinking(entry)) return { glyph: "thinking", color: "assistant", name: "Thinking" };
  if (role !== null) return ROLES[role];
  return { glyph: "custom", color: "ink-3", name: kind.replaceAll("_", " ") };
}

/** What an entry is, with the tools that it calls or answers: `Tool call: Bash`. */
export function nameWithTools(entry: Known): string {
  const tools = [...new Set(entry.tools ?? [])].filter((tool) => tool !== "");
  const { name } = look(entry);
  return tools.length === 0 ? name : `${name}: ${tools.join(", ")}`;
}

/** What became of a prompt that waited until the model was done. */
const QUEUED: Record<QueueFate, string> = {
  sent: "sent when the model was done",
  passed: "sent with the next result",
  taken_back: "taken back",
  never_sent: "never sent",
};
export function queuedWords({ fate, entry_id }: QueuedView): string {
  return entry_id === null ? QUEUED[fate] : `sent as entry ${entry_id}`;
}

/** What the user answered to a plan. */
export const PLAN_ANSWERS: Record<PlanAnswer, string> = {
  approved: "approved",
  rejected: "rejected",
};

/** Says after which compaction a file is read again. */
export function againWords({ timestamp }: CompactionAt, now: number): string {
  const when = timestamp === null ? "" : ` of ${dayAndClock(timestamp, now)}`;
  return `read again after the compaction${when}`;
}

/** On what ground two files are called one session. */
export const SAME_SESSION =
  "Another file of the list names the same agent and the same session id: it is a copy, an export or a backup of this session.";

/** What another session is to this one. */
const LINKS: Record<LinkKind, { glyph: GlyphName; name: string }> = {
  forked_from: { glyph: "branch", name: "Forked from" },
  subagent_of: { glyph: "subagent", name: "Subagent of" },
  subagent: { glyph: "subagent", name: "Subagent" },
  continues: { glyph: "continues", name: "Continues" },
  shares_beginning: { glyph: "shared", name: "Shares its beginning with" },
  same_session: { glyph: "copy", name: "Same session in" },
};
/** The same from the other end, where the other session names this one. */
const REVERSED: Partial<Record<LinkKind, string>> = {
  forked_from: "Forked into",
  continues: "Continued in",
};
export function linkLook(kind: LinkKind, reversed = false): { glyph: GlyphName; name: string } {
  const look = LINKS[kind];
  return reversed ? { ...look, name: REVERSED[kind] ?? look.name } : look;
}

/** What a session is, by its relation to the session it belongs to. */
const KIN: Record<LinkKind, string> = {
  forked_from: "Fork of another session",
  subagent_of: "Subagent session",
  subagent: "Subagent",
  continues: "Continues another session",
  shares_beginning: "Shares its beginning with another session",
  same_session: "The same session as in another file",
};
export function kinLook(kind: NonNullable<SessionRow["parent_kind"]>): {
  glyph: GlyphName;
  name: string;
} {
  return { glyph: LINKS[kind].glyph, name: KIN[kind] };
}

/** The same with the id and the time of that session, where it is in the index. */
export function kinName(
  kind: NonNullable<SessionRow["parent_kind"]>,
  parent: SessionName | null,
  now: number,
): string {
  if (parent === null) return `${KIN[kind]}, which is not in the index`;
  const at = parent.timestamp === null ? "" : `, ${dayAndClock(parent.timestamp, now)}`;
  return `${LINKS[kind].name} ${parent.shown_id}${at}`;
}

/** What becomes of a fact, or that the summary adds it. */
export type FateOrNew = Fate | "introduced";

export interface FateLook {
  glyph: GlyphName;
  color: string;
  name: string;
  meaning: string;
}

export const FATES: Record<FateOrNew, FateLook> = {
  verbatim: {
    glyph: "check",
    color: "kept",
    name: "Verbatim",
    meaning: "In the summary, unchanged.",
  },
  mentioned: {
    glyph: "approx",
    color: "mentioned",
    name: "Reworded",
    meaning: "In the summary in other words, with the same meaning.",
  },
  changed: {
    glyph: "pencil",
    color: "partial",
    name: "Changed",
    meaning:
      "In the summary with another meaning: a weaker word, a rounded figure, a lost negation.",
  },
  partial: {
    glyph: "tilde",
    color: "partial",
    name: "Partly kept",
    meaning: "Partly in the summary.",
  },
  dropped: {
    glyph: "close",
    color: "dropped",
    name: "Dropped",
    meaning: "Not in the summary, in words that rules recognise.",
  },
  introduced: {
    glyph: "plus",
    color: "introduced",
    name: "Introduced",
    meaning: "In the summary, but not in the source.",
  },
};

export function fate(status: FateOrNew): FateLook {
  return FATES[status];
}

/** What was done with a file. */
const FILE_ROLES: Record<FileRole, string> = {
  edited: "edited",
  read: "read",
  searched: "searched",
  named: "only named",
};

/** Who found a fact, where a model did. */
export const FOUND_BY: Record<FoundBy, string> = {
  rules: "",
  model: "by model",
  both: "by rules and by model",
};

/** What is known of a fact besides its text, in a few words each. */
export function factNotes(fact: FactView): string[] {
  return [
    fact.file_role === null ? "" : FILE_ROLES[fact.file_role],
    fact.task === null ? "" : fact.task === "open" ? "open" : "finished",
    fact.generation === 0 ? "" : "from the previous summary",
    FOUND_BY[fact.found_by ?? "rules"],
  ].filter((note) => note !== "");
}

/** What a kind of fact has in it, where its name does not say it. */
export function kindMeaning(kind: FactKind): string | undefined {
  return kind === "symbol"
    ? "A name in code or of something like it: a function, a variable, a package, a git branch."
    : undefined;
}

/** The kinds of facts by how much it hurts when one is lost, the worst first. */
const HURTS: Record<FactKind, number> = {
  user_request: 0,
  constraint: 1,
  decision: 2,
  finding: 3,
  error: 4,
  todo: 5,
  path: 6,
  command: 7,
  symbol: 8,
  number: 9,
};
export const byHurt = (a: FactKind, b: FactKind): number => HURTS[a] - HURTS[b];
