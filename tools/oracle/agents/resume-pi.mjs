#!/usr/bin/env node
// Writes sessions from random entries of pi's sessions and lets the real pi load them.
//
//   node resume-pi.mjs --palimpsest PROGRAM --pkg DIR [--node NODE] [--count N] [--seed S] [--rpc] FILE.jsonl...
//
//   --palimpsest  the program `palimpsest`
//   --pkg         folder of an installed pi-coding-agent package (npm, by name)
//   --node        node for pi itself (22.19 or newer for pi 0.87); default: the node of this script
//   --count       entries per file (default 12)
//   --rpc         also start pi's program on the last file of each kind, in RPC mode, and send one prompt
//
// Each file is copied first. What pi reads from a written file must equal what pi reads from the copy at the same
// entry, with the summary in its place: message by message, as whole JSON values. What `palimpsest context` says of the
// written file must have the same roles and texts. The copy must keep its bytes unless it is appended to.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { parseArgs } from "node:util";

const text = { type: "string" };
const { values: arg, positionals: files } = parseArgs({
  allowPositionals: true,
  options: {
    palimpsest: text, pkg: text, node: { ...text, default: process.execPath }, count: { ...text, default: "12" },
    seed: { ...text, default: "1" }, rpc: { type: "boolean" },
  },
});
if (!arg.palimpsest || !arg.pkg || files.length === 0) {
  console.error("resume-pi: needs --palimpsest PROGRAM, --pkg DIR and session files (see the head of this script)");
  process.exit(2);
}
const pkg = resolve(arg.pkg);
const info = JSON.parse(readFileSync(join(pkg, "package.json"), "utf8"));
const sessions = await import(pathToFileURL(join(pkg, "dist/core/session-manager.js")).href);
const scratch = mkdtempSync(join(tmpdir(), "resume-pi-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
process.env.HOME = join(scratch, "home");
mkdirSync(join(scratch, "home"));

let draws = 0;
const draw = (below) => createHash("sha256").update(`${arg.seed}|${draws++}`).digest().readUIntBE(0, 6) % below;

function palimpsest(...words) {
  const done = spawnSync(arg.palimpsest, ["--data-dir", join(scratch, "data"), "--json", ...words], {
    encoding: "utf8", maxBuffer: 1 << 30,
  });
  const answer = done.stdout ? JSON.parse(done.stdout) : { error: { message: done.stderr } };
  if (answer.error) throw new Error(answer.error.message);
  return answer;
}

/** What pi itself reads: its entries, and the context at one of them. */
function load(path) {
  // pi rewrites and appends to what it opens.
  const copy = join(scratch, `loaded-${draws++}.jsonl`);
  copyFileSync(path, copy);
  const manager = sessions.SessionManager.open(copy);
  const entries = manager.getEntries();
  const byId = new Map(entries.map((entry) => [entry.id, entry]));
  const lines = [];
  readFileSync(path, "utf8").split("\n").forEach((line, number) => {
    try {
      const value = JSON.parse(line);
      if (value && value.type !== "session") lines.push(number);
    } catch { /* pi skips it too */ }
  });
  return {
    entries, byId, manager,
    at: (leaf) => sessions.buildSessionContext(entries, leaf, byId).messages,
    path: (leaf) => manager.getBranch(leaf),
    /** The entry on a physical line; pi invents ids for version 1. */
    onLine: (line) => entries[lines.indexOf(line)],
  };
}

const plain = (value) => JSON.parse(JSON.stringify(value));
/** Times of new records differ from run to run, and a written summary has the time of its own record. */
function comparable(message) {
  const { timestamp, tokensBefore, fromId, ...rest } = plain(message);
  return /Summary$|^system$/.test(message.role) ? rest : { ...rest, timestamp };
}
function same(got, wanted, what) {
  const [a, b] = [got.map(comparable), wanted.map(comparable)];
  const sorted = (value) => JSON.stringify(value, (_, inner) =>
    inner && typeof inner === "object" && !Array.isArray(inner) ? Object.fromEntries(Object.entries(inner).sort()) : inner);
  if (a.length !== b.length) throw new Error(`${what}: pi reads ${a.length} messages, expected ${b.length}`);
  a.forEach((message, place) => {
    if (sorted(message) !== sorted(b[place])) {
      throw new Error(`${what}: message ${place} differs\n  pi: ${sorted(message).slice(0, 300)}\n  expected: ${sorted(b[place]).slice(0, 300)}`);
    }
  });
}

/** The text of a message as `palimpsest context` prints it; undefined where it words it in pi's sentence. */
function textOf(message) {
  if (/Summary$/.test(message.role)) return message.summary;
  if (message.role === "bashExecution" || message.role === "system") return undefined;
  const blocks = typeof message.content === "string" ? [{ type: "text", text: message.content }] : message.content ?? [];
  if (blocks.some((block) => !["text", "thinking", "toolCall"].includes(block.type) || block.redacted)) return undefined;
  return blocks.map((block) => block.type === "toolCall" ? `${block.name}(${JSON.stringify(block.arguments)})` : block.text ?? block.thinking).join("\n\n");
}
function sameAsShown(got, written, what) {
  const shown = palimpsest("context", written).items.filter((item) => item.entry_ids.length > 0);
  if (shown.length !== got.length) throw new Error(`${what}: Palimpsest shows ${shown.length} items, pi reads ${got.length}`);
  got.forEach((message, place) => {
    const wanted = textOf(message);
    if (shown[place].native_role !== message.role) throw new Error(`${what}: item ${place} is shown as ${shown[place].native_role}, pi reads ${message.role}`);
    if (wanted !== undefined && shown[place].text !== wanted.toWellFormed()) throw new Error(`${what}: item ${place} is shown with another text`);
  });
}

const summaryOf = (role, summary) => ({ role, summary });
const counts = {};
const failures = [];
const last = new Map();

function check(kind, name, work) {
  counts[kind] ??= { ok: 0, refused: 0 };
  try {
    const written = work();
    if (written === undefined) return;
    counts[kind].ok += 1;
    last.set(`${kind} ${name}`, written);
  } catch (error) {
    failures.push(`${kind} ${name}: ${error.message}`);
  }
}

for (const file of files) {
  const name = basename(dirname(file)) + "/" + basename(file);
  const original = join(scratch, `original-${draws++}.jsonl`);
  copyFileSync(file, original);
  const hash = () => createHash("sha256").update(readFileSync(original)).digest("hex");
  const before = hash();
  const pi = load(original);
  const nodes = palimpsest("tree", original).nodes;
  const named = new Map(nodes.map((node) => [node.id, node]));
  const entryOf = (id) => pi.onLine(named.get(id).line);
  const place = (node) => `line:${node.line}`;
  const isRead = (node) => pi.onLine(node.line) !== undefined;
  const usable = nodes.filter(isRead);
  const chosen = Array.from({ length: Number(arg.count) }, () => usable[draw(usable.length)]);
  let number = 0;
  const out = () => join(scratch, `written-${draws}-${number++}.jsonl`);
  const compactions = nodes.filter((node) => node.kind === "compaction" && isRead(node));
  for (const node of chosen) {
    const target = palimpsest("navigate", original, "--to", place(node));
    if (target.new_leaf_id === null) continue;
    const leaf = entryOf(target.new_leaf_id);
    const there = pi.at(leaf.id);
    const text = `Left behind at ${node.line}: "quoted"\n\n- ümlaut`;
    const textFile = join(scratch, "summary.txt");
    writeFileSync(textFile, text);
    const written = (answer, wanted, what) => {
      const got = load(answer.path).manager.buildSessionContext().messages;
      same(got, wanted, what);
      sameAsShown(got, answer.path, what);
      return answer.path;
    };
    check("new leaf", name, () =>
      written(palimpsest("navigate", original, "--to", place(node), "--write", "--out", out()), there, `entry ${node.line}`));
    check("branch summary", name, () =>
      written(palimpsest("navigate", original, "--to", place(node), "--summary", textFile, "--write", "--out", out()),
        [...there, summaryOf("branchSummary", text)], `entry ${node.line}`));
    const newest = pi.path(leaf.id).findLast((entry) => entry.type === "compaction");
    const stored = newest && nodes.find((own) => isRead(own) && pi.onLine(own.line) === newest);
    if (stored) {
      check("edited summary", name, () =>
        written(palimpsest("apply", "--session", original, "--summary", place(stored), "--text-file", textFile, "--leaf", `line:${named.get(target.new_leaf_id).line}`, "--out", out()),
          there.map((message) => message.role === "compactionSummary" ? { ...message, summary: text } : message), `entry ${node.line}`));
      check("undone compaction", name, () =>
        written(palimpsest("apply", "--session", original, "--undo", place(stored), "--out", out()), pi.at(newest.parentId), `entry ${stored.line}`));
    }
    check("append", name, () => {
      const copy = join(scratch, `appended-${draws}-${number++}.jsonl`);
      copyFileSync(original, copy);
      try {
        return written(palimpsest("navigate", copy, "--to", place(node), "--summary", textFile, "--write", "--append"),
          [...there, summaryOf("branchSummary", text)], `entry ${node.line}`);
      } catch (error) {
        if (!/rewrites when it opens|have the id/.test(error.message)) throw error;
        counts.append.refused += 1;
        return undefined;
      }
    });
  }
  for (const stored of nodes.filter((node) => node.kind === "branch_summary" && isRead(node))) {
    check("replaced branch summary", name, () => {
      const run = palimpsest("compact", original, "--at", place(stored), "--redo", "--provider", "offline");
      if (run.plan.kind === "nothing") return undefined;
      const answer = palimpsest("apply", run.run_id, "--session", original, "--out", out());
      const told = pi.onLine(stored.line).summary;
      const wanted = pi.at(entryOf(answer.leaf_id).id).map((message) =>
        message.role === "branchSummary" && message.summary === told ? { ...message, summary: run.summary } : message);
      const got = load(answer.path).manager.buildSessionContext().messages;
      same(got, wanted, `entry ${stored.line}`);
      sameAsShown(got, answer.path, `entry ${stored.line}`);
      return answer.path;
    });
  }
  for (const stored of compactions) {
    check("put back", name, () => {
      const { text } = palimpsest("put-back", original, "--compaction", place(stored));
      if (text === "") return undefined;
      const answer = palimpsest("put-back", original, "--compaction", place(stored), "--write", "--out", out());
      const got = load(answer.path).manager.buildSessionContext().messages;
      const said = { role: "user", content: [{ type: "text", text }], timestamp: got.at(-1)?.timestamp };
      same(got, [...pi.at(entryOf(answer.leaf_id).id), said], `entry ${stored.line}`);
      sameAsShown(got, answer.path, `entry ${stored.line}`);
      return answer.path;
    });
    check("replaced compaction", name, () => {
      const run = palimpsest("compact", original, "--at", place(stored), "--redo", "--provider", "offline", "--set", "keep_recent_tokens=200");
      const answer = palimpsest("apply", run.run_id, "--session", original, "--out", out());
      const compaction = pi.onLine(stored.line);
      const at = pi.path(compaction.parentId);
      const first = run.plan.first_kept_id === null ? undefined : entryOf(run.plan.first_kept_id).id;
      const kept = at.slice(at.findIndex((entry) => entry.id === first));
      // The kept tail as pi reads it without any compaction, then what follows the replaced one.
      const leaf = entryOf(answer.leaf_id).id;
      const path = pi.path(leaf);
      const behind = path.slice(path.findIndex((entry) => entry.id === compaction.id) + 1);
      const leafs = leaf === compaction.parentId ? [] : behind;
      const messages = [...(first ? kept : []), ...leafs].flatMap((entry) => {
        const alone = { ...entry, parentId: null };
        return entry.type === "compaction" ? [] : sessions.buildSessionContext([alone], alone.id, new Map([[alone.id, alone]])).messages;
      }).filter((message) => message.role !== "system");
      const got = load(answer.path).manager.buildSessionContext().messages;
      same(got.filter((message) => message.role !== "system"), [summaryOf("compactionSummary", run.summary), ...messages], `entry ${stored.line}`);
      sameAsShown(got, answer.path, `entry ${stored.line}`);
      return answer.path;
    });
  }
  if (hash() !== before) failures.push(`${name}: the original was changed`);
}

/** Starts pi's program on a written file, asks what it loaded, and sends one prompt. */
async function resumed(path) {
  const requests = [];
  const server = createServer((request, response) => {
    const parts = [];
    request.on("data", (part) => parts.push(part));
    request.on("end", () => {
      requests.push(JSON.parse(Buffer.concat(parts).toString() || "null"));
      response.writeHead(200, { "content-type": "text/event-stream" });
      const chunk = (extra) => response.write(`data: ${JSON.stringify({ id: "x", object: "chat.completion.chunk", created: 0, model: "loop", ...extra })}\n\n`);
      chunk({ choices: [{ index: 0, delta: { role: "assistant", content: "Understood." }, finish_reason: null }] });
      chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] });
      chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } });
      response.end("data: [DONE]\n\n");
    });
  });
  await new Promise((done) => server.listen(0, "127.0.0.1", done));
  const base = mkdtempSync(join(scratch, "rpc-"));
  const agent = join(base, "agent");
  mkdirSync(agent);
  writeFileSync(join(agent, "models.json"), JSON.stringify({ providers: { loop: {
    baseUrl: `http://127.0.0.1:${server.address().port}/v1`, api: "openai-completions", apiKey: "none",
    models: [{ id: "loop", name: "loop", reasoning: false, input: ["text", "image"], contextWindow: 1000000, maxTokens: 4096, cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 } }],
  } } }));
  writeFileSync(join(agent, "settings.json"), JSON.stringify({ enableInstallTelemetry: false, quietStartup: true, compaction: { enabled: false } }));
  const copy = join(base, "session.jsonl");
  const [head, ...rest] = readFileSync(path, "utf8").split("\n");
  // pi refuses a session whose folder is missing.
  writeFileSync(copy, [JSON.stringify({ ...JSON.parse(head), cwd: base }), ...rest].join("\n"));
  const program = join(pkg, typeof info.bin === "string" ? info.bin : info.bin.pi);
  const child = spawn(arg.node, [program, "--mode", "rpc", "--session", copy, "--provider", "loop", "--model", "loop"], {
    cwd: base, stdio: ["pipe", "pipe", "pipe"],
    env: { PATH: `${dirname(resolve(arg.node))}:${process.env.PATH}`, HOME: base, PI_CODING_AGENT_DIR: agent, PI_OFFLINE: "1", PI_SKIP_VERSION_CHECK: "1", PI_TELEMETRY: "0", NO_PROXY: "127.0.0.1" },
  });
  let errors = "";
  child.stderr.on("data", (part) => (errors += part));
  let pending = "";
  const heard = [];
  child.stdout.setEncoding("utf8");
  child.stdout.on("data", (part) => {
    pending += part;
    const lines = pending.split("\n");
    pending = lines.pop();
    for (const line of lines) if (line.trim()) heard.push(JSON.parse(line));
  });
  const until = async (fits, what) => {
    const end = Date.now() + 120_000;
    for (;;) {
      const found = heard.find(fits);
      if (found) return found;
      if (Date.now() > end || child.exitCode !== null) throw new Error(`pi gave no ${what}: ${errors.slice(0, 400)}`);
      await new Promise((done) => setTimeout(done, 50));
    }
  };
  const ask = (command) => child.stdin.write(JSON.stringify(command) + "\n");
  try {
    ask({ id: "1", type: "get_messages" });
    const loaded = (await until((record) => record.id === "1", "messages")).data.messages;
    ask({ id: "2", type: "prompt", message: "Go on with it." });
    await until((record) => record.type === "agent_end" || record.type === "agent_settled", "end of the turn");
    const sent = requests.at(-1)?.messages ?? [];
    return { loaded, sent };
  } finally {
    child.kill();
    server.close();
  }
}

let started = 0;
if (arg.rpc) {
  for (const [what, path] of last) {
    try {
      const wanted = load(path).manager.buildSessionContext().messages;
      const { loaded, sent } = await resumed(path);
      // pi adds its own system message to what it shows; it is none of the session's.
      const session = (messages) => messages.filter((message) => message.role !== "system");
      same(session(loaded), session(wanted), "RPC mode");
      const told = JSON.stringify(sent);
      const summary = wanted.find((message) => /Summary$/.test(message.role))?.summary;
      if (summary && !told.includes(JSON.stringify(summary).slice(1, -1))) throw new Error("the request lacks the summary");
      if (!told.includes("Go on with it.")) throw new Error("the request lacks the prompt");
      started += 1;
    } catch (error) {
      failures.push(`rpc ${what}: ${error.message}`);
    }
  }
}

console.log(JSON.stringify({ pi: info.version, files: files.length, counts, started, failures }, null, 1));
process.exit(failures.length ? 1 : 0);
