// Reading a session: edits as diffs, what a terminal printed, the user's decisions, subagents, cost.

import assert from "node:assert/strict";
import { cp, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";

const FIXTURE = new URL(
  "../../crates/formats/tests/fixtures/claude-code/valid/reading.jsonl",
  import.meta.url,
);

let home, server, window, page, session;

before(async () => {
  home = await scratch("home");
  const folder = join(home.dir, ".claude", "projects", "-home-ada-tally");
  await mkdir(folder, { recursive: true });
  await cp(FIXTURE, join(folder, "5e551011-0000-4000-8000-00000000000a.jsonl"));
  server = await serve({ samples: false, env: { HOME: home.dir } });
  window = await browser();
  page = window.page;
  session = await until("the session in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {});
    return sessions[0];
  });
  await page.goto(server.url);
  await byId(page, "session-row").first().click();
});

after(async () => {
  await window?.close();
  await server?.stop();
  await home?.remove();
});

/** Opens an entry of the session. */
async function stand(entry) {
  await page.evaluate(([s, e]) => (location.hash = `s=${s}&e=${e}`), [session.id, entry]);
  await byId(page, "entry-tab", `[data-entry="${entry}"]`).waitFor();
}

test("a session opens at the last words of the conversation, not at a hook", async () => {
  await byId(page, "entry-tab", '[data-entry="a17"]').waitFor();
  const row = byId(page, "outline-row", '[aria-selected="true"]');
  assert.equal(await row.getAttribute("data-entry"), "a17");
  assert.ok((await row.innerText()).includes("leaf"), "it stands for the active leaf");
});

test("no row of the outline is blank, and no hook is among them", async () => {
  const rows = await byId(page, "outline-row").evaluateAll((all) =>
    all.map((row) => [row.dataset.entry, row.querySelector(".text").innerText.trim()]),
  );
  assert.deepEqual(
    rows.filter(([, text]) => text === ""),
    [],
  );
  const ids = rows.map(([entry]) => entry);
  assert.ok(!ids.includes("h1") && !ids.includes("h2") && !ids.includes("a03"), ids.join(" "));
});

test("the date stands only where it changes", async () => {
  const days = await byId(page, "outline-row")
    .locator("time")
    .evaluateAll((all) => all.map((time) => time.title.split(",")[0]));
  assert.equal(await byId(page, "row-day").count(), new Set(days).size);
  assert.ok(days.length > 10);
});

test("an edit is a diff with coloured words", async () => {
  await stand("a04");
  const file = byId(page, "file-edit");
  assert.equal(await file.getAttribute("data-path"), "/home/ada/tally/src/count.rs");
  const kinds = await byId(page, "edit-line").evaluateAll((all) =>
    all.map((line) => line.dataset.change),
  );
  assert.equal(kinds.filter((kind) => kind === "added").length, 3);
  assert.equal(kinds.filter((kind) => kind === "removed").length, 1);
  assert.equal(await file.locator(".code-keyword").first().innerText(), "fn");
  assert.ok((await file.locator(".code-comment").count()) >= 2);
});

test("the usage of a part of a message is said to be the whole message's", async () => {
  const record = await byId(page, "entry-record").innerText();
  assert.ok(record.includes("12,000"), "the record states the whole request");
  await byId(page, "usage-share").waitFor();
});

test("what a terminal printed has its colours and no escapes", async () => {
  await stand("a07");
  const block = byId(page, "block", '[data-type="plain"]');
  assert.equal(await block.locator(".ansi-red").innerText(), "FAILED");
  const text = await block.innerText();
  assert.ok(text.includes("running 3 tests") && !text.includes("\u001b"), text);
});

test("a rejected call is the user's decision", async () => {
  await stand("a09");
  const said = await byId(page, "rejection").innerText();
  assert.ok(said.includes("rejected") && said.includes("leave the target folder alone"), said);
  const row = byId(page, "outline-row", '[data-entry="a09"]');
  assert.ok((await row.innerText()).includes("Rejected"));
  await stand("a08");
  await byId(page, "tool-call", '[data-outcome="rejected"]').waitFor();
});

test("lists of things to do, plans and images are shown as such", async () => {
  await stand("a10");
  assert.equal(await byId(page, "tool-call", '[data-shape="todos"]').locator("li").count(), 3);
  await stand("a14");
  const plan = byId(page, "tool-call", '[data-shape="plan"]');
  assert.equal(await plan.getByRole("heading").first().innerText(), "Mend the test");
  await stand("a16");
  assert.ok((await byId(page, "image").innerText()).includes("image/png"));
});

test("a subagent has its task, result, size and cost, and opens in place", async () => {
  await stand("a12");
  const agent = byId(page, "subagent");
  const told = await agent.innerText();
  for (const part of ["Find the failing test", "Explore", "9.2k tokens", "1 tool call", "$", "0"])
    assert.ok(told.includes(part), `${part} in ${told}`);
  assert.ok(told.includes("one line too many"), "its result");
  await byId(page, "subagent-open").click();
  await byId(page, "entry-tab", '[data-entry="p1"]').waitFor();
  assert.ok((await byId(page, "entry-tab").innerText()).includes("counts_lines"));
});

test("the cost is computed by the catalog's prices, by model", async () => {
  const chip = byId(page, "cost-chip");
  assert.equal(await chip.getAttribute("data-computed"), "true");
  await chip.click();
  assert.equal(await byId(page, "spending-model").count(), 2);
  assert.ok((await byId(page, "spending").innerText()).includes("Computed from the catalog"));
  const { sessions } = await rpc(server, "sessions", {});
  const view = await rpc(server, "open", { session: session.id });
  assert.equal(sessions[0].cost_computed, true);
  assert.ok(Math.abs(sessions[0].cost_usd - view.row.cost_usd) < 1e-9, "list and head agree");
  assert.equal(sessions[0].cost_partial, false);
  assert.equal(view.row.cost_partial, false);
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
