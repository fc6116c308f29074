// The lab: sets of cuts from a search and by hand, and an experiment over the cuts of several agents:
// priced, run, its failed cell run again, compared, replayed, cancelled. experiment.test.mjs kills the
// program while one runs.

import assert from "node:assert/strict";
import { cp, mkdir, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { fill, NO_OVERRIDES } from "../lib/agents.mjs";
import { browser, byId } from "../lib/browser.mjs";
import { provider, summary } from "../lib/provider.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";

const SAMPLES = new URL("../../assets/samples/", import.meta.url);
const SET = "all agents";
/** The request that the provider refuses. */
const REFUSED = 5;

let home, data, server, scripted, window, page;

/** Answers of the provider are held back while it is set. */
let holds = false;
function answer({ nth }) {
  if (holds) return new Promise(() => {});
  if (nth !== REFUSED) return summary(nth);
  return { status: 400, error: { message: "This prompt is not allowed." } };
}

before(async () => {
  home = await scratch("home");
  data = await scratch("data");
  await fill(home.dir);
  const folder = join(home.dir, ".pi/agent/sessions/--home-ada-samples--");
  await mkdir(folder, { recursive: true });
  for (const name of await readdir(SAMPLES))
    if (name.endsWith(".jsonl") && !name.includes("two-compactions"))
      await cp(new URL(name, SAMPLES), join(folder, name));
  scripted = await provider(answer);
  server = await serve({
    samples: false,
    env: { ...NO_OVERRIDES, HOME: home.dir },
    data,
  });
  await rpc(server, "provider_save", {
    name: "scripted",
    kind: "openai",
    base_url: `${scripted.url}/v1`,
    key_env: null,
    models: ["scripted-ok"],
  });
  await until("the sessions in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "has:compaction",
    });
    return new Set(sessions.map((one) => one.agent)).size >= 4;
  });
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

const state = (wanted, timeout = 120_000) =>
  byId(page, "experiment", `[data-state="${wanted}"]`).waitFor({ timeout });

test("a search becomes a set of cuts, with a hash of each", async () => {
  await byId(page, "search").fill("has:compaction agent:pi");
  await byId(page, "use-as-cuts").click();
  assert.equal(await byId(page, "set-query").inputValue(), "has:compaction agent:pi");
  await byId(page, "set-find").click();
  await byId(page, "cut-row").first().waitFor();
  await byId(page, "set-name").fill(SET);
  await byId(page, "set-save").click();
  await byId(page, "set-card", `[data-name="${SET}"]`).waitFor();
  const [set] = await rpc(server, "cut_sets");
  assert.ok(set.cuts.length >= 2);
  assert.ok(set.cuts.every((cut) => /^[0-9a-f]{16}$/.test(cut.hash)));
});

test("compactions of other agents are added by hand from their trees", async () => {
  for (const agent of ["claude-code", "codex", "opencode"]) {
    const { sessions } = await rpc(server, "sessions", {
      query: `has:compaction agent:${agent}`,
    });
    await byId(page, "lab-close").click();
    await byId(page, "search").fill(`agent:${agent} has:compaction`);
    await byId(page, "session-row", `[data-session="${sessions[0].id}"]`).first().click();
    const row = byId(page, "outline-row", '[data-kind="compaction"]').first();
    await row.click({ button: "right" });
    await byId(page, "row-add-cut").click();
    await byId(page, "add-cut-name").fill(SET);
    await byId(page, "add-cut-known").filter({ hasText: "cuts" }).waitFor();
    await byId(page, "add-cut-save").click();
    await byId(page, "add-cut").waitFor({ state: "detached" });
    await byId(page, "open-lab").click();
  }
  const [set] = await rpc(server, "cut_sets");
  const agents = new Set(set.cuts.map((cut) => cut.agent));
  assert.deepEqual([...agents].sort(), ["claude-code", "codex", "opencode", "pi"]);
  await byId(page, "lab-sets").click();
  await byId(page, "set-toggle").first().click();
  await until("the comparison", async () =>
    (await byId(page, "set-card").first().innerText()).includes("No cut has changed"),
  );
  assert.equal(await byId(page, "cut-row").count(), set.cuts.length);
});

test("rows are described as in Re-run, and the price is shown before anything is sent", async () => {
  await byId(page, "set-use").first().click();
  await byId(page, "lab-name").fill("shorter instructions");
  assert.equal(await byId(page, "lab-set").inputValue(), SET);
  // The sessions of the other agents are a few lines: nearly all of them is summarized.
  await byId(page, "param-keep_recent_tokens").fill("1");
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-ok");
  await byId(page, "repeats").fill("2");
  await byId(page, "repeats").blur();
  await byId(page, "row-add").click();
  await byId(page, "instructions").fill("At most ten lines.");
  await byId(page, "tray-copy").nth(1).click();
  await byId(page, "instructions").fill("Name every file.");
  assert.equal(await byId(page, "tray-row").count(), 3);
  assert.ok(await byId(page, "lab-start").isDisabled(), "it starts only with a price");
  await byId(page, "lab-price-button").click();
  await byId(page, "lab-price").waitFor();
  assert.equal(await byId(page, "price-row").count(), 3);
  assert.equal(scripted.requests.length, 0);
  // A change takes the price away.
  await byId(page, "instructions").fill("Name every file and port.");
  await byId(page, "lab-price").waitFor({ state: "detached" });
  await byId(page, "lab-price-button").click();
  await byId(page, "lab-price").waitFor();
});

const shown = async () => {
  const [listed] = await rpc(server, "labs");
  return rpc(server, "lab_show", { lab: listed.lab_id });
};

test("a cell that failed says why, and is run again alone", async () => {
  await byId(page, "lab-start").click();
  await state("complete");
  const lab = await shown();
  const agents = lab.cells.filter((cell) => cell.state === "done");
  assert.deepEqual([...new Set(agents.map((cell) => lab.cuts[cell.cut].agent))].sort(), [
    "claude-code",
    "codex",
    "opencode",
    "pi",
  ]);
  assert.match(await byId(page, "lab-status").innerText(), /, 1 failed\./);
  const failed = byId(page, "lab-cell", '[data-state="failed"]');
  assert.match(await failed.getAttribute("title"), /This prompt is not allowed/);
  const sent = scripted.requests.length;
  await byId(page, "lab-retry").click();
  await until("all cells", async () => (await failed.count()) === 0);
  await state("complete");
  const again = await shown();
  assert.deepEqual([again.lost, again.sent], [0, scripted.requests.length]);
  const calls = again.cells.reduce((sum, cell) => sum + cell.figures.calls, 0);
  const others = lab.cells.reduce((sum, cell) => sum + (cell.figures.calls ?? 0), 0);
  assert.ok(scripted.requests.length - sent <= calls - others, "only the calls of that cell");
});

test("the table shows differences to the first row, and the replay is the same", async () => {
  assert.equal(await byId(page, "lab-row").count(), 4, "three rows and the agents' own");
  await byId(page, "lab-metric").selectOption("next_tokens");
  await byId(page, "lab-interval").first().waitFor();
  assert.match(await byId(page, "lab-interval").first().innerText(), /to/);
  await byId(page, "lab-replay").click();
  await byId(page, "lab-replayed").waitFor({ timeout: 60_000 });
  const [, runs, same] =
    /(\d+) summar(?:y|ies) made again from the stored replies, (\d+)\s+byte for byte/.exec(
      await byId(page, "lab-replayed").innerText(),
    );
  assert.ok(Number(runs) > 0);
  assert.equal(runs, same);
});

test("a cell opens the ledger of its run, and Back returns to the experiment", async () => {
  await byId(page, "lab-cell", '[data-state="done"]').first().click();
  await byId(page, "fact").first().waitFor();
  await page.goBack();
  await state("complete");
});

test("an experiment is cancelled and says so", async () => {
  await byId(page, "lab-new").click();
  await byId(page, "lab-name").fill("cancelled");
  await byId(page, "lab-price-button").click();
  await byId(page, "lab-price").waitFor();
  holds = true;
  await byId(page, "lab-start").click();
  await state("running");
  await byId(page, "lab-cancel").click();
  await state("stopped");
  await byId(page, "lab-experiments").click();
  await byId(page, "experiment-row", '[data-state="stopped"]').waitFor();
  await byId(page, "experiment-row", '[data-state="complete"]').waitFor();
  await page.keyboard.press("Escape");
  await byId(page, "lab").waitFor({ state: "detached" });
});

test("the page had nothing to complain about", () => {
  // An experiment is shown before it is stored, which the browser calls a failure to load it.
  assert.deepEqual(
    window.complaints.filter((one) => !/Failed to load resource.*404/.test(one)),
    [],
  );
});
