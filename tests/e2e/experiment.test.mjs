// An experiment over twenty cuts of four agents whose program is killed twice while it runs: a stored
// reply is never requested again, a request on its way at a kill is shown as lost and sent again once,
// and the replay makes the same bytes.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { NO_OVERRIDES } from "../lib/agents.mjs";
import { browser, byId } from "../lib/browser.mjs";
import { provider, summary } from "../lib/provider.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";
import { codex, linkReal, openCode } from "../lib/sessions.mjs";

const SET = "twenty cuts";
const CUTS = 20;
const ROWS = 3;
const REPEATS = 2;
/** Most real sessions of Claude Code and of pi; the others are scripted. */
const REAL = { "claude-code": 2, pi: 1 };
/** After so many replies no request is answered until the program is killed. */
const KILLS = [30, 75];
/** Without a request for so long, no further one follows. */
const SETTLED_MS = 1_500;

let home, data, server, scripted, window, page, agents, calls;
/** Replies that are given before the next kill. */
let most = KILLS[0];
/** What was asked in requests that were answered, and in those that were left on their way. */
const replied = [];
const held = [];

const start = (port = 0) =>
  serve({
    samples: false,
    env: { ...NO_OVERRIDES, HOME: home.dir },
    data,
    port,
  });

/** Answers, or leaves the request on its way. */
function answer({ nth, body }) {
  const asked = JSON.stringify(body.messages);
  if (replied.length >= most) {
    held.push(asked);
    return new Promise(() => {});
  }
  replied.push(asked);
  return summary(nth);
}

const listed = async (query) => (await rpc(server, "sessions", { query, limit: 100 })).sessions;
const labShown = async () => {
  const [{ lab_id: lab }] = await rpc(server, "labs");
  return rpc(server, "lab_show", { lab });
};

before(async (t) => {
  home = await scratch("home");
  data = await scratch("data");
  const claude = join(home.dir, ".claude/projects/-home-ada-real");
  const pi = join(home.dir, ".pi/agent/sessions/--home-ada-real--");
  const linked = [
    ...(await linkReal("claude-code", claude, '"subtype":"compact_boundary"', REAL["claude-code"])),
    ...(await linkReal("pi", pi, '"type":"compaction"', REAL.pi)),
  ];
  agents = ["codex", "opencode"];
  if (linked.length === 0) t.diagnostic("skipped: there are no real sessions in ../shared/samples");
  else agents.push("claude-code", "pi");
  scripted = await provider(answer);
  server = await start();
  await rpc(server, "provider_save", {
    name: "scripted",
    kind: "openai",
    base_url: `${scripted.url}/v1`,
    key_env: null,
    models: ["scripted-ok"],
  });
  await until(
    "the real sessions in the index",
    async () => (await listed("has:compaction")).length === linked.length,
  );
  const real =
    linked.length === 0 ? [] : await rpc(server, "cuts", { query: "has:compaction", limit: CUTS });
  for (let n = real.length; n < CUTS; n += 1) await (n % 2 ? codex : openCode)(home.dir, n);
  await until(
    "the scripted sessions in the index",
    async () => (await listed("has:compaction")).length === linked.length + CUTS - real.length,
  );
  window = await browser();
  page = window.page;
  await page.goto(server.url);
});

after(async () => {
  await window?.close();
  await server?.stop();
  await scripted?.stop();
  await data?.remove();
  await home?.remove();
});

const state = (wanted, timeout = 180_000) =>
  byId(page, "experiment", `[data-state="${wanted}"]`).waitFor({ timeout });

test("twenty cuts of four agents are a set", async () => {
  await byId(page, "search").fill("has:compaction");
  await byId(page, "use-as-cuts").click();
  await byId(page, "set-find").click();
  await byId(page, "cut-row").first().waitFor();
  assert.equal(await byId(page, "cut-row").count(), CUTS);
  await byId(page, "set-name").fill(SET);
  await byId(page, "set-save").click();
  await byId(page, "set-card", `[data-name="${SET}"]`).waitFor();
  const [set] = await rpc(server, "cut_sets");
  assert.deepEqual([...new Set(set.cuts.map((cut) => cut.agent))].sort(), agents.sort());
});

test("three rows with two repeats are priced before anything is sent", async () => {
  await byId(page, "set-use").first().click();
  await byId(page, "lab-name").fill("killed");
  await byId(page, "strategy").click();
  await byId(page, "strategy-search").fill("pi");
  await byId(page, "strategy-choose", '[data-row="pi"]').click();
  await byId(page, "param-keep_recent_tokens").fill("300");
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-ok");
  await byId(page, "repeats").fill(String(REPEATS));
  await byId(page, "repeats").blur();
  await byId(page, "row-add").click();
  await byId(page, "param-keep_recent_tokens").fill("700");
  await byId(page, "tray-copy").first().click();
  await byId(page, "instructions").fill("Name every file.");
  assert.equal(await byId(page, "tray-row").count(), ROWS);
  await byId(page, "lab-price-button").click();
  await byId(page, "lab-price").waitFor({ timeout: 60_000 });
  const told = await byId(page, "lab-price").innerText();
  assert.match(told, new RegExp(`${CUTS * ROWS * REPEATS} runs at ${CUTS} cuts`));
  assert.equal(scripted.requests.length, 0);
});

test("killed twice and continued, only lost replies are requested again", async () => {
  const { port } = new URL(server.url);
  await byId(page, "lab-start").click();
  for (const [nth, replies] of KILLS.entries()) {
    await state("running");
    // Once no further request comes, all runs wait for a reply, and earlier replies are stored.
    await until(`${replies} replies`, async () => replied.length === replies, {
      within: 120_000,
    });
    await until("requests on their way, and no others", rests, {
      within: 120_000,
    });
    await server.kill();
    await byId(page, "connection-lost").waitFor();
    server = await start(port);
    await byId(page, "connection-lost").waitFor({
      state: "detached",
      timeout: 60_000,
    });
    await state("stopped");
    assert.equal((await labShown()).lost, held.length);
    await lostIsShown();
    most = KILLS[nth + 1] ?? Infinity;
    await byId(page, "lab-continue").click();
  }
  await state("complete");
  await lostIsShown();
  const lab = await labShown();
  assert.deepEqual(
    lab.cells.filter((cell) => cell.state !== "done").map((cell) => cell.error),
    [],
  );
  assert.equal(lab.cells.length, CUTS * ROWS * REPEATS);
  calls = lab.cells.reduce((sum, cell) => sum + cell.figures.calls, 0);
  assert.equal(replied.length, calls, "each call has one reply");
  assert.equal(scripted.requests.length, calls + held.length);
  assert.deepEqual([lab.sent, lab.lost], [calls + held.length, held.length]);
  // The repeats of a cell ask the same.
  const asked = (own) => replied.filter((other) => other === own).length;
  assert.deepEqual(
    held.map(asked).filter((count) => count % REPEATS !== 0),
    [],
  );
});

/** True when the provider has had every request that the program noted, and no other follows. */
async function rests() {
  const before = held.length;
  await new Promise((wake) => setTimeout(wake, SETTLED_MS));
  const { sent } = await labShown();
  return held.length > 0 && held.length === before && sent === scripted.requests.length;
}

/** The cells say which of them lost replies, and how many. */
async function lostIsShown() {
  const marks = byId(page, "lab-cell-lost");
  await marks.first().waitFor();
  const titles = await marks.evaluateAll((all) => all.map((one) => one.title));
  const told = titles.map((title) => Number(/^(\d+) sent, reply lost/.exec(title)?.[1]));
  assert.equal(
    told.reduce((sum, own) => sum + own, 0),
    held.length,
    titles.join("; "),
  );
}

test("the replay makes every summary again, byte for byte", async () => {
  await byId(page, "lab-replay").click();
  await byId(page, "lab-replayed").waitFor({ timeout: 120_000 });
  const all = CUTS * ROWS * REPEATS;
  assert.match(
    await byId(page, "lab-replayed").innerText(),
    new RegExp(`${all} summaries made again from the stored replies, ${all}\\s+byte for byte`),
  );
  assert.equal(scripted.requests.length, calls + held.length, "a replay sends nothing");
});

test("the page had nothing to complain about", () => {
  // Requests that the kills cut off are complaints of the browser.
  assert.deepEqual(
    window.complaints.filter((one) => !/Failed to load|ERR_|aborted/i.test(String(one))),
    [],
  );
});
