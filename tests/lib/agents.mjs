// A home folder with one session of every agent, each where and as that agent stores it. They are
// those that `crates/formats` is tested with.

import { cp, mkdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";

const FIXTURES = new URL("../../crates/formats/tests/fixtures/", import.meta.url);
const SAMPLES = new URL("../../assets/samples/", import.meta.url);
const ID = "00000000-0000-4000-8000-000000000001";

/** Every agent that is read: what is copied from where to where below the home folder. */
export const AGENTS = {
  pi: [
    [new URL("02-two-compactions.jsonl", SAMPLES), ".pi/agent/sessions/--home-ada--/ledger.jsonl"],
  ],
  "claude-code": [
    ["claude-code/valid/compacted-keeping.jsonl", `.claude/projects/-home-ada-tally/${ID}.jsonl`],
  ],
  codex: [
    [
      "codex/valid/compacted-local.jsonl",
      `.codex/sessions/2026/03/01/rollout-2026-03-01T10-00-00-${ID}.jsonl`,
    ],
  ],
  opencode: [
    [
      "opencode/valid/1.1-automatic-compaction.jsonl",
      ".local/share/opencode/words.export.json",
      openCodeExport,
    ],
  ],
  copilot: [
    ["copilot/valid/compacted-by-command.jsonl", `.copilot/session-state/${ID}/events.jsonl`],
  ],
  "copilot-chat": [
    [
      "copilot-chat/chats/journal.jsonl",
      `.config/Code/User/workspaceStorage/0f3c/chatSessions/${ID}.jsonl`,
    ],
  ],
  "factory-droid": [
    [
      "factory-droid/valid/compacted-automatically.jsonl",
      `.factory/sessions/-home-ada/${ID}.jsonl`,
    ],
  ],
  mux: [["mux/homes/.xum", ".xum"]],
  continue: [["continue/valid/editor.jsonl", `.continue/sessions/${ID}.json`, continueFile]],
  // The server's chats have no default folder: `CHATS` is added to the settings.
  coder: [["coder/saved/pages.json", "chats/coder-chat.json"]],
};

/** The folder of the home that no agent has by default. */
export const CHATS = "chats";

/** Fills `home` with the sessions of all agents. */
export async function fill(home) {
  for (const files of Object.values(AGENTS))
    for (const [from, to, made = null] of files) {
      const source = new URL(from, FIXTURES);
      const target = join(home, to);
      await mkdir(dirname(target), { recursive: true });
      if (made) await writeFile(target, made(await readFile(source, "utf8")));
      else await cp(source, target, { recursive: true });
    }
}

const records = (text) =>
  text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line));

/** The export whose records the fixture holds: the session, its messages, each before its parts. */
function openCodeExport(text) {
  const [info, ...rest] = records(text);
  const messages = [];
  for (const record of rest)
    if (record.messageID) messages.at(-1).parts.push(record);
    else messages.push({ info: record, parts: [] });
  return JSON.stringify({ info, messages });
}

/** The file whose records the fixture holds: the session, its items, the totals. */
function continueFile(text) {
  const [session, ...items] = records(text);
  const { usage } = items.pop();
  return JSON.stringify({ ...session, history: items, usage });
}

/** The variables that name other folders of the agents, all unset. */
export const NO_OVERRIDES = Object.fromEntries(
  [
    ...["APPDATA", "USERPROFILE", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_STATE_HOME"],
    ...["CLAUDE_CONFIG_DIR", "CODEX_HOME", "CONTINUE_GLOBAL_DIR", "COPILOT_HOME"],
    ...["FACTORY_HOME_OVERRIDE", "MUX_ROOT", "OPENCODE_DB", "PI_CODING_AGENT_DIR"],
    ...["PI_CODING_AGENT_SESSION_DIR", "VSCODE_PORTABLE", "XUM_ROOT"],
  ].map((name) => [name, undefined]),
);
