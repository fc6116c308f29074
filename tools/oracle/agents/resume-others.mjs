#!/usr/bin/env node
// Writes new sessions of Claude Code, Codex and OpenCode and lets the real agent continue each.
//
//   node resume-others.mjs --palimpsest PROGRAM --agent claude-code|codex|opencode --program FILE [--count N] [--seed S] SESSION...
//
//   --palimpsest  the program `palimpsest`
//   --program     the agent's program
//   --count       entries per session (default 2)
//
// The agent runs in a temporary home against a model server of this script. The request of the resumed session must hold
// the texts of the predicted context in their order, then the new prompt. The given session keeps its bytes.
import { spawn, spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync, copyFileSync } from "node:fs";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { parseArgs } from "node:util";

const text = { type: "string" };
const { values: arg, positionals: files } = parseArgs({
  allowPositionals: true,
  options: { palimpsest: text, agent: text, program: text, count: { ...text, default: "2" }, seed: { ...text, default: "1" }, show: { type: "boolean" } },
});
if (!arg.palimpsest || !arg.agent || !arg.program || files.length === 0) {
  console.error("resume-others: needs --palimpsest, --agent, --program and sessions (see the head of this script)");
  process.exit(2);
}
const PROMPT = "Go on with the work.";
const scratch = mkdtempSync(join(tmpdir(), "resume-others-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
let draws = 0;
const draw = (below) => createHash("sha256").update(`${arg.seed}|${draws++}`).digest().readUIntBE(0, 6) % below;

function palimpsest(...words) {
  const done = spawnSync(arg.palimpsest, ["--data-dir", join(scratch, "data"), "--json", ...words], { encoding: "utf8", maxBuffer: 1 << 30, env: { ...process.env, HOME: join(scratch, "none") } });
  const answer = done.stdout ? JSON.parse(done.stdout) : { error: { message: done.stderr } };
  if (answer.error) throw new Error(answer.error.message);
  return answer;
}

/** A model server that always says "Understood." in the three protocols. */
const requests = [];
const server = createServer((request, response) => {
  const parts = [];
  request.on("data", (part) => parts.push(part));
  request.on("end", () => {
    let body = null;
    try { body = JSON.parse(Buffer.concat(parts).toString()); } catch { /* not a model request */ }
    const path = request.url.split("?")[0];
    const send = (events) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      for (const [type, data] of events) response.write(`${type ? `event: ${type}\n` : ""}data: ${JSON.stringify(data)}\n\n`);
      response.end(path.endsWith("/chat/completions") ? "data: [DONE]\n\n" : "");
    };
    const said = "Understood.";
    if (path.endsWith("/count_tokens")) return response.writeHead(200, { "content-type": "application/json" }).end('{"input_tokens":9}');
    if (path.endsWith("/messages")) {
      requests.push(body);
      const usage = { input_tokens: 9, output_tokens: 1, cache_creation_input_tokens: 0, cache_read_input_tokens: 0 };
      const event = (type, extra) => [type, { type, ...extra }];
      return send([
        event("message_start", { message: { id: `msg_${requests.length}`, type: "message", role: "assistant", model: body.model, content: [], stop_reason: null, stop_sequence: null, usage } }),
        event("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
        event("content_block_delta", { index: 0, delta: { type: "text_delta", text: said } }),
        event("content_block_stop", { index: 0 }),
        event("message_delta", { delta: { stop_reason: "end_turn", stop_sequence: null }, usage: { output_tokens: 2 } }),
        event("message_stop", {}),
      ]);
    }
    if (path.endsWith("/responses")) {
      requests.push(body);
      const item = { type: "message", role: "assistant", id: `m${requests.length}`, content: [{ type: "output_text", text: said }] };
      const usage = { input_tokens: 9, input_tokens_details: { cached_tokens: 0 }, output_tokens: 2, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 11 };
      return send([
        ["response.created", { type: "response.created", response: { id: `r${requests.length}` } }],
        ["response.output_item.done", { type: "response.output_item.done", output_index: 0, item }],
        ["response.completed", { type: "response.completed", response: { id: `r${requests.length}`, usage, output: [item] } }],
      ]);
    }
    if (path.endsWith("/chat/completions")) {
      requests.push(body);
      const chunk = (extra) => [null, { id: "x", object: "chat.completion.chunk", created: 0, model: body.model, ...extra }];
      return send([
        chunk({ choices: [{ index: 0, delta: { role: "assistant", content: said }, finish_reason: null }] }),
        chunk({ choices: [{ index: 0, delta: {}, finish_reason: "stop" }] }),
        chunk({ choices: [], usage: { prompt_tokens: 9, completion_tokens: 2, total_tokens: 11 } }),
      ]);
    }
    response.writeHead(404).end("{}");
  });
});
await new Promise((done) => server.listen(0, "127.0.0.1", done));
const origin = `http://127.0.0.1:${server.address().port}`;

function run(words, cwd, env) {
  return new Promise((done) => {
    const child = spawn(arg.program, words, { cwd, env: { PATH: process.env.PATH, LANG: "C.UTF-8", TERM: "dumb", NO_PROXY: "127.0.0.1,localhost", ...env }, stdio: ["ignore", "pipe", "pipe"] });
    let said = "";
    child.stdout.on("data", (part) => (said += part));
    child.stderr.on("data", (part) => (said += part));
    const timer = setTimeout(() => child.kill("SIGKILL"), 180_000);
    child.on("close", (code) => { clearTimeout(timer); done({ code, said }); });
  });
}

/** Puts the written file where the agent looks for it and continues it. */
async function resumed(written) {
  const home = mkdtempSync(join(scratch, "home-"));
  const project = join(home, "project");
  mkdirSync(project);
  const id = written.resume_command.match(/(?:--resume|resume|--session) ([^ ]+)$/)[1];
  const raw = readFileSync(written.path, "utf8");
  if (arg.agent === "claude-code") {
    const folder = join(home, ".claude", "projects", project.replace(/[^A-Za-z0-9-]/g, "-"));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${id}.jsonl`), raw);
    return run(["-p", "--resume", id, PROMPT], project, {
      HOME: home, ANTHROPIC_BASE_URL: origin, ANTHROPIC_API_KEY: "placeholder", DISABLE_TELEMETRY: "1", DISABLE_AUTOUPDATER: "1",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1", DISABLE_ERROR_REPORTING: "1",
    });
  }
  if (arg.agent === "codex") {
    const codex = join(home, ".codex");
    const provider = JSON.parse(raw.split("\n")[0]).payload.model_provider ?? "loop";
    const folder = join(codex, "sessions", "2026", "11", "22");
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, basename(written.path)), raw);
    writeFileSync(join(codex, "config.toml"), [
      'model = "loop"', `model_provider = "${provider}"`, "model_context_window = 1000000", "[analytics]", "enabled = false",
      `[model_providers.${provider}]`, 'name = "loop"', `base_url = "${origin}/v1"`, 'wire_api = "responses"', "request_max_retries = 0", "",
    ].join("\n"));
    return run(["exec", "--skip-git-repo-check", "resume", id, PROMPT], project, { HOME: home, CODEX_HOME: codex });
  }
  const config = join(home, ".config", "opencode");
  mkdirSync(config, { recursive: true });
  writeFileSync(join(config, "opencode.json"), JSON.stringify({
    autoupdate: false, share: "disabled", model: "fake/fake-large", small_model: "fake/fake-large",
    provider: { fake: { npm: "@ai-sdk/openai-compatible", name: "fake", options: { baseURL: `${origin}/v1`, apiKey: "placeholder" }, models: { "fake-large": { name: "fake-large", limit: { context: 1000000, output: 4096 } } } } },
  }));
  const env = { HOME: home, OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
  const copy = join(home, "import.json");
  copyFileSync(written.path, copy);
  const imported = await run(["import", copy], project, env);
  if (imported.code !== 0) return imported;
  return run(["run", "--session", id, PROMPT], project, env);
}

/** Every text of a request, in order. */
function textsOf(value, found = []) {
  if (typeof value === "string") found.push(value);
  else if (Array.isArray(value)) {
    // A result of several texts is shown as one, with a blank line between them.
    if (value.length > 1 && value.every((inner) => inner?.type === "text")) found.push(value.map((inner) => inner.text).join("\n\n"));
    value.forEach((inner) => textsOf(inner, found));
  }
  else if (value && typeof value === "object") {
    for (const [key, inner] of Object.entries(value)) {
      if (!["tools", "instructions", "system", "id", "type", "role", "name", "model"].includes(key)) textsOf(inner, found);
    }
  }
  return found;
}

/** The texts that must be sent: what Palimpsest shows of the written session, without what the agent words itself. */
function wanted(path) {
  const items = palimpsest("context", path).items.filter((item) => item.entry_ids.length > 0 && item.sent);
  const told = items.filter((item) => ["user", "summary", "compactionSummary", "tool_result", "tool"].includes(item.native_role));
  return told.map((item) => item.text.trim()).filter((own) => own !== "" && !own.startsWith("<") && !own.includes("<removed ") && !own.startsWith("(asks"));
}

const counts = { ok: 0 };
const failures = [];
for (const file of files) {
  const before = createHash("sha256").update(readFileSync(file)).digest("hex");
  const nodes = palimpsest("tree", file).nodes;
  const ends = nodes.filter((node) => node.kind === "message" && node.role === "assistant" && node.preview && !/^\[|\($/.test(node.preview));
  const compaction = nodes.findLast((node) => node.kind === "compaction");
  const summary = join(scratch, "summary.txt");
  writeFileSync(summary, "What was left behind: the port is 8417.");
  const tasks = [];
  const out = () => mkdtempSync(join(scratch, "out-"));
  for (let n = 0; n < Number(arg.count); n++) {
    const node = ends[draw(ends.length)];
    if (!node) continue;
    tasks.push(["new leaf", () => palimpsest("navigate", file, "--to", node.id, "--write", "--out", out())]);
    tasks.push(["branch summary", () => palimpsest("navigate", file, "--to", node.id, "--summary", summary, "--write", "--out", out())]);
  }
  if (compaction) {
    tasks.push(["edited summary", () => palimpsest("apply", "--session", file, "--summary", compaction.id, "--text-file", summary, "--out", out())]);
    tasks.push(["undone compaction", () => palimpsest("apply", "--session", file, "--undo", compaction.id, "--out", out())]);
    tasks.push(["put back", () => palimpsest("put-back", file, "--compaction", compaction.id, "--write", "--out", out())]);
    tasks.push(["replaced compaction", () => {
      const run = palimpsest("compact", file, "--at", compaction.id, "--redo", "--provider", "offline", "--set", "keep_recent_tokens=100");
      return palimpsest("apply", run.run_id, "--session", file, "--out", out());
    }]);
  }
  for (const [kind, write] of tasks) {
    try {
      const written = write();
      const texts = wanted(written.path);
      requests.length = 0;
      const { code, said } = await resumed(written);
      // Titles and the like are asked for beside it.
      const sent = requests.map((body) => textsOf(body?.messages ?? body?.input)).filter((all) => all.some((own) => own.includes(PROMPT)));
      const request = sent.sort((a, b) => b.length - a.length)[0];
      if (!request) throw new Error(`the agent sent no request (${code}): ${said.slice(0, 300)}`);
      let from = 0;
      for (const own of texts) {
        const at = request.findIndex((told, place) => place >= from && told.includes(own));
        if (at < 0) throw new Error(`the request lacks, at its place, "${own.slice(0, 80)}"`);
        from = at;
      }
      counts[kind] = (counts[kind] ?? 0) + 1;
      counts.ok += 1;
    } catch (error) {
      failures.push(`${kind} ${basename(file)}: ${error.message}`);
    }
  }
  if (createHash("sha256").update(readFileSync(file)).digest("hex") !== before) failures.push(`${file}: the original was changed`);
}
server.close();
console.log(JSON.stringify({ agent: arg.agent, files: files.length, counts, failures }, null, 1));
process.exit(failures.length ? 1 : 0);
