// Sessions of Codex and of OpenCode that were compacted, written record by record as these agents
// store them, and the real sessions beside the project.

import { existsSync } from "node:fs";
import { mkdir, readFile, readdir, stat, symlink, writeFile } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

/** Prompts before the compaction, each with its answer. */
const TURNS = 8;
const SAMPLES = fileURLToPath(new URL("../../../shared/samples/", import.meta.url));

/** A prompt that names what no other does. */
const asked = (number, turn) =>
  `Please look at src/s${number}/part${turn}.rs. Never touch port ${8000 + number * 10 + turn}.`;
const answered = "I looked and fixed it. ".repeat(30);
const kept = (number) => `## Goal\nMend src/s${number}.\n\n## Next steps\n- Run the tests.`;

async function put(home, place, text) {
  const path = join(home, place);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text);
}

/** A rollout of Codex with one compaction, in its folder below `home`. */
export async function codex(home, number) {
  const id = `019caa00-0000-7000-8000-${String(number).padStart(12, "0")}`;
  const message = (role, type, name, text) => ({
    type: "message",
    id: name,
    role,
    content: [{ type, text }],
  });
  const records = [
    [
      "session_meta",
      {
        id,
        timestamp: "2026-03-01T10:00:00Z",
        cwd: "/home/ada/mill",
        originator: "codex_exec",
        cli_version: "0.169.0",
        source: "exec",
        model_provider: "openai",
      },
    ],
  ];
  const turn = (name, prompt, answer) =>
    records.push(
      [
        "turn_context",
        { turn_id: name, cwd: "/home/ada/mill", model: "gpt-5.5", approval_policy: "never" },
      ],
      ["response_item", message("user", "input_text", `u-${name}`, prompt)],
      ["response_item", message("assistant", "output_text", `a-${name}`, answer)],
    );
  for (let n = 0; n < TURNS; n += 1) turn(`t${n}`, asked(number, n), answered);
  const summary = `Another helper began this work; its notes follow:\n${kept(number)}`;
  records.push([
    "compacted",
    {
      message: summary,
      replacement_history: [message("user", "input_text", "summary", summary)],
    },
  ]);
  turn("last", "Go on.", "The tests pass.");
  const lines = records.map(([type, payload], ordinal) => {
    const seconds = String(ordinal).padStart(2, "0");
    return JSON.stringify({
      timestamp: `2026-03-01T10:00:${seconds}.000Z`,
      ordinal,
      type,
      payload,
    });
  });
  const name = `rollout-2026-03-01T10-00-00-${id}.jsonl`;
  await put(home, `.codex/sessions/2026/03/01/${name}`, `${lines.join("\n")}\n`);
}

/** An export of OpenCode with one compaction, in its folder below `home`. */
export async function openCode(home, number) {
  const sessionID = `ses_${String(number).padStart(4, "0")}`;
  const path = { cwd: "/home/ada/mill", root: "/home/ada/mill" };
  const messages = [];
  const add = (role, info, part) => {
    const at = String(messages.length).padStart(4, "0");
    const id = `msg_${at}`;
    const created = 1_700_000_000_000 + messages.length * 1_000;
    messages.push({
      info: { id, sessionID, role, agent: "build", time: { created }, ...info(created) },
      parts: [{ id: `prt_${at}`, sessionID, messageID: id, ...part }],
    });
  };
  const user = (part) =>
    add("user", () => ({ model: { providerID: "anthropic", modelID: "sonnet" } }), part);
  const assistant = (text, more = {}) =>
    add(
      "assistant",
      (created) => ({
        modelID: "sonnet",
        providerID: "anthropic",
        mode: "build",
        parentID: messages.at(-1).info.id,
        finish: "stop",
        cost: 0,
        path,
        time: { created, completed: created + 500 },
        tokens: { input: 900, output: 20, reasoning: 0, cache: { read: 0, write: 0 } },
        ...more,
      }),
      { type: "text", text },
    );
  for (let n = 0; n < TURNS; n += 1) {
    user({ type: "text", text: asked(number, n) });
    assistant(answered);
  }
  user({ type: "compaction", auto: true });
  assistant(kept(number), { mode: "compaction", agent: "compaction", summary: true });
  user({ type: "text", text: "Go on." });
  assistant("The tests pass.");
  const info = {
    id: sessionID,
    version: "1.1.65",
    projectID: "global",
    directory: path.cwd,
    title: `Mill ${number}`,
    time: { created: 1_700_000_000_000, updated: 1_700_000_060_000 },
  };
  const place = `.local/share/opencode/${number}.export.json`;
  await put(home, place, JSON.stringify({ info, messages }));
}

/**
 * Links real sessions of `agent` into `folder`, the smallest `most` of those with a line that holds
 * `mark`; they are read in place. Gives their names: none where no samples lie beside the project.
 */
export async function linkReal(agent, folder, mark, most) {
  const from = join(SAMPLES, agent, "real");
  if (!existsSync(from)) return [];
  const files = [];
  for (const name of await readdir(from)) {
    if (!name.endsWith(".jsonl")) continue;
    const file = join(from, name);
    if ((await readFile(file, "utf8")).includes(mark))
      files.push({ file, size: (await stat(file)).size });
  }
  files.sort((a, b) => a.size - b.size);
  await mkdir(folder, { recursive: true });
  const linked = files.slice(0, most).map(({ file }) => file);
  for (const file of linked) await symlink(file, join(folder, basename(file)));
  return linked;
}
