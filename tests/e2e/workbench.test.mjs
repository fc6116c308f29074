// The workbench: several presets planned and run side by side, offline and over a model server,
// one cancelled, the others compared; and the cut moved by hand.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";
import { compacted, openRerun, scriptedProvider } from "../lib/sample.mjs";

const INSTRUCTIONS = "Keep every amount and every account number.";
const PRESETS = ["pi", "gemini-cli", "sequential-rolling"];

let server, scripted, window, page, session;

before(async () => {
  server = await serve();
  scripted = await scriptedProvider(server, ["scripted-paced", "scripted-ok"]);
  window = await browser();
  page = window.page;
  session = await compacted(server);
  await openRerun(page, server, session);
});

after(async () => {
  await window?.close();
  await scripted?.stop();
  await server?.stop();
});

const fresh = () => byId(page, "plan", '[data-fresh="true"]').waitFor();
const ticked = () =>
  byId(page, "tray-row").evaluateAll((rows) => rows.map((row) => row.dataset.strategy));
const ended = (status) => byId(page, "side-row", `[data-status="${status}"]`).count();
/** The tokens that stay, as the plan's list of spans names them. */
const kept = async () =>
  (await byId(page, "plan-kept").count()) === 0 ? "" : byId(page, "plan-kept").innerText();

test("presets are found by a word and ticked with the keyboard and the mouse", async () => {
  await byId(page, "strategy").click();
  await byId(page, "strategy-search").fill("gemini");
  await byId(page, "strategy-option", '[data-strategy="gemini-cli"]').waitFor();
  await page.keyboard.press("ArrowDown");
  await byId(page, "strategy-choose", '[data-row="gemini-cli"]:focus').waitFor();
  await page.keyboard.press(" ");
  await byId(page, "strategy-search").fill("rolling");
  await byId(page, "strategy-option", '[data-strategy="sequential-rolling"]')
    .locator("input")
    .check();
  await page.keyboard.press("Escape");
  await byId(page, "tray").waitFor();
  assert.deepEqual(await ticked(), PRESETS);
});

test("each has its plan, with what it costs and leaves; the prompts have the instructions", async () => {
  await byId(page, "instructions").fill(INSTRUCTIONS);
  await byId(page, "share-instructions").click();
  await until(
    "three plans",
    async () => (await byId(page, "tray-row", '[data-fresh="true"]').count()) === PRESETS.length,
  );
  for (const row of await byId(page, "tray-row").all()) {
    const cells = await row.locator("td.num").allInnerTexts();
    assert.equal(cells[0], "none", `tokens in: ${cells}`);
    assert.equal(cells[1], "free");
    assert.match(cells[2], /\d/, `size after: ${cells}`);
  }
  await byId(page, "offline-prompts").click();
  await byId(page, "show-prompt").first().click();
  await until("the prompt", async () =>
    (await byId(page, "prompt-text").first().innerText()).includes(INSTRUCTIONS),
  );
  assert.equal(await byId(page, "run-button").innerText(), "Run 3");
});

test("a stage is switched to another kind and the plan follows", async () => {
  const before = await kept();
  await byId(page, "kind-select").selectOption("last_messages");
  await byId(page, "param-count").fill("2");
  await until(
    "another plan",
    async () =>
      (await byId(page, "plan", '[data-fresh="true"]').count()) === 1 && (await kept()) !== before,
  );
  await byId(page, "kind-select").selectOption("keep_recent");
  await until("the plan before", async () => (await kept()) === before);
});

test("three presets run offline, side by side", async () => {
  await until(
    "three plans",
    async () => (await byId(page, "tray-row", '[data-fresh="true"]').count()) === PRESETS.length,
  );
  await byId(page, "run-button").click();
  await until("three summaries", async () => (await ended("done")) === PRESETS.length, {
    within: 60_000,
  });
  for (const row of await byId(page, "side-row").all())
    assert.match(await row.innerText(), /\d+ %/);
  await byId(page, "back-to-plan").click();
});

test("and over a model server, where one is cancelled and the others go on", async () => {
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-paced");
  await byId(page, "share-runs-on").click();
  await until(
    "three plans",
    async () => (await byId(page, "tray-row", '[data-fresh="true"]').count()) === PRESETS.length,
  );
  assert.match(await byId(page, "destination").innerText(), new RegExp(scripted.url));
  await byId(page, "run-button").click();
  const second = byId(page, "run-result", `[data-strategy="${PRESETS[1]}"]`);
  await until("its first words", async () =>
    (await second.locator('[data-testid="run-text"]').innerText()).includes("Goal"),
  );
  await byId(page, "side-row", `[data-strategy="${PRESETS[1]}"]`)
    .locator('[data-testid="cancel-one"]')
    .click();
  await byId(
    page,
    "side-row",
    `[data-strategy="${PRESETS[1]}"][data-status="cancelled"]`,
  ).waitFor();
  assert.ok((await second.innerText()).includes("Goal"), "what had come stays on screen");
  await until("the other two", async () => (await ended("done")) === 2, {
    within: 90_000,
  });
});

test("the cancelled run is kept with what had come", async () => {
  const runs = await rpc(server, "runs", { session: session.id });
  assert.equal(runs.length, 2 * PRESETS.length);
  assert.ok(runs.every((run) => run.instructions === INSTRUCTIONS));
  const cancelled = runs.filter((run) => run.status === "cancelled");
  assert.deepEqual(
    cancelled.map((run) => [run.strategy, run.provider]),
    [[PRESETS[1], "scripted"]],
  );
  const { summary } = await rpc(server, "run", { run: cancelled[0].run_id });
  assert.match(summary, /Goal/);
});

test("the others are compared, and all of them with the session's own", async () => {
  assert.equal(await byId(page, "compare-done").innerText(), "Compare 2");
  await byId(page, "compare-own").click();
  await byId(page, "compare-totals").waitFor();
  assert.equal(await byId(page, "compare-totals").locator("thead th").count(), 3);
  assert.match(await byId(page, "compare-totals").innerText(), /Next request[\s\S]*\d/);
  await byId(page, "compare-texts").click();
  await byId(page, "compare-right").selectOption("2");
  await byId(page, "diff").waitFor();
  const hash = await page.evaluate(() => location.hash);
  await page.reload();
  await byId(page, "compare-totals").waitFor();
  assert.equal(await page.evaluate(() => location.hash), hash);
  await byId(page, "tab-rerun").click();
  await fresh();
});

/** The middle of an element, in the window. */
async function middle(element) {
  const box = await element.boundingBox();
  return { x: box.x + box.width / 2, y: box.y + box.height / 2 };
}

/**
 * Takes hold of an element with the mouse. Chromium finds what has just moved under the pointer
 * only after the next frame; a press before it would reach what lies below.
 */
async function grab(id) {
  await page.evaluate(
    () => new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(drawn))),
  );
  const at = await middle(byId(page, id));
  await page.mouse.move(at.x, at.y);
  await byId(page, id, ":hover").waitFor();
  await page.mouse.down();
  return at;
}

test("the cut is dragged on the timeline; Escape puts it back, letting go leaves it", async () => {
  const handle = byId(page, "cut-handle");
  const before = await kept();
  const entry = await handle.getAttribute("data-entry");
  const from = await grab("cut-handle");
  await page.mouse.move(from.x - 30, from.y, { steps: 5 });
  await until("the plan to follow", async () => (await kept()) !== before);
  await byId(page, "cut-by-hand").waitFor();
  await page.keyboard.press("Escape");
  await until(
    "the cut as it was",
    async () => (await kept()) === before && (await handle.getAttribute("data-entry")) === entry,
  );
  await page.mouse.up();
  assert.equal(await byId(page, "cut-by-hand").count(), 0);

  await grab("cut-handle");
  await page.mouse.move(from.x - 40, from.y, { steps: 5 });
  await page.mouse.up();
  await byId(page, "cut-by-hand").waitFor();
  await fresh();
  const moved = await handle.getAttribute("data-entry");
  assert.notEqual(moved, entry);
  assert.equal(
    await byId(page, "outline-row", `[data-entry="${moved}"]`).getAttribute("data-span"),
    "kept",
  );
  await byId(page, "cut-reset").click();
  await until(
    "the preset's own cut",
    async () => (await handle.getAttribute("data-entry")) === entry,
  );
});

test("the cut is moved with keys, turn by turn with Shift", async () => {
  const handle = byId(page, "cut-handle");
  const entry = await handle.getAttribute("data-entry");
  await handle.focus();
  await page.keyboard.press("ArrowLeft");
  await until("one place earlier", async () => (await handle.getAttribute("data-entry")) !== entry);
  await page.keyboard.press("Shift+ArrowLeft");
  await fresh();
  assert.match(await handle.getAttribute("aria-valuetext"), /at a turn boundary/);
  await page.keyboard.press("Escape");
  await until("the cut as it was", async () => (await handle.getAttribute("data-entry")) === entry);
});

test("the cut is dragged between the rows of the outline", async () => {
  const line = byId(page, "cut-line");
  const entry = await line.getAttribute("data-entry");
  await line.focus();
  await page.keyboard.press("ArrowUp");
  await until("one place up", async () => (await line.getAttribute("data-entry")) !== entry);
  const up = await line.getAttribute("data-entry");
  const from = await grab("cut-line");
  await page.mouse.move(from.x, from.y - 72, { steps: 4 });
  await page.mouse.up();
  await fresh();
  assert.notEqual(await line.getAttribute("data-entry"), up);
  await byId(page, "cut-reset").click();
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
