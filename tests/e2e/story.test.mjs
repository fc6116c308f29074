// The story of the program, as a user lives it in a browser: open a session, stand on a
// compaction, read what it dropped, write a better summary, compare the two.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";
import { compacted } from "../lib/sample.mjs";

const INSTRUCTIONS = "Keep every file path and every number.";

let server, window, page, session;

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  session = await compacted(server);
  await page.goto(server.url);
});

after(async () => {
  await window?.close();
  await server?.stop();
});

test("the sample sessions are listed", async () => {
  await byId(page, "session-row").nth(3).waitFor();
  assert.ok((await byId(page, "session-row").count()) >= 4);
});

test("a session opens with its tree, standing on the active leaf", async () => {
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  await byId(page, "outline-row", "[aria-selected=true]").waitFor();
  const title = await byId(page, "session-title").innerText();
  assert.ok(title.includes(session.title), `the header says "${title}"`);
});

test("an entry tells what the model saw there", async () => {
  await byId(page, "tab-context").click();
  await byId(page, "context-item").first().waitFor();
  await byId(page, "gauge").waitFor();
});

test("a compaction can be stood on, and its ledger read on both sides", async () => {
  const view = await rpc(server, "open", { session: session.id });
  const own = view.summaries.findLast((summary) => summary.kind === "compaction");
  // Far up the list the row is not in the page yet: the key that leads to it is part of the story.
  await byId(page, "outline").focus();
  await page.keyboard.press("[");
  await byId(page, "outline-row", '[data-kind="compaction"][aria-selected="true"]').waitFor();
  await byId(page, "tab-summary").click();
  await byId(page, "ledger-totals").waitFor();
  assert.equal(await byId(page, "ledger-of").inputValue(), `entry:${own.entry_id}`);

  assert.match(await byId(page, "first-words").innerText(), /still in the context/);
  // What is not lost stands below the losses, folded.
  if ((await byId(page, "facts-rest").count()) > 0) await byId(page, "facts-rest").click();
  const kept = byId(page, "fact", '[data-status="verbatim"]').first();
  await kept.click();
  assert.equal(await kept.getAttribute("aria-pressed"), "true");
  await byId(page, "source-item").first().waitFor();
  assert.notEqual((await byId(page, "ledger-summary").innerText()).trim(), "");
});

test("a filter leaves only the facts that were dropped", async () => {
  await byId(page, "fate-dropped").click();
  await byId(page, "fact", '[data-status="dropped"]').first().waitFor();
  assert.equal(await byId(page, "fact", ':not([data-status="dropped"])').count(), 0);
  await byId(page, "fate-dropped").click();
});

test("the same cut is run again offline, with instructions", async () => {
  await byId(page, "rerun-this").click();
  await byId(page, "instructions").fill(INSTRUCTIONS);
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  assert.notEqual(await byId(page, "plan").getAttribute("data-kind"), "nothing");
  await byId(page, "offline-prompts").click();
  await byId(page, "show-prompt").first().click();
  // Prompts are asked for when one is opened.
  await until("the very prompt, instructions included", async () =>
    (await byId(page, "prompt-text").first().innerText()).includes(INSTRUCTIONS),
  );
  await byId(page, "run-button").click();
  await byId(page, "run-result", '[data-status="done"]').waitFor({
    timeout: 60_000,
  });
  assert.notEqual((await byId(page, "run-text").innerText()).trim(), "");
});

test("the run is kept, with what was asked", async () => {
  const runs = await rpc(server, "runs", { session: session.id });
  assert.equal(runs.length, 1);
  assert.equal(runs[0].instructions, INSTRUCTIONS);
  assert.equal(runs[0].status, "done");
});

test("the new summary is compared with the session's own", async () => {
  await byId(page, "compare-own").click();
  await byId(page, "compare-totals").waitFor();
  assert.equal(await byId(page, "compare-totals").locator("thead th").count(), 2);
  await byId(page, "compare-texts").click();
  await byId(page, "compare-facts").click();
});

test("a reload comes back to the same place", async () => {
  const hash = await page.evaluate(() => location.hash);
  assert.ok(hash.includes("compare="), hash);
  await page.reload();
  await byId(page, "compare-totals").waitFor();
  assert.equal(await page.evaluate(() => location.hash), hash);
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
