// Writing for the agent: another entry is chosen as the leaf with a summary, which is edited and written as a new session; the
// contexts of before and after are compared, the write is undone, a compaction is undone, and what a summary lost is put back.
// The originals keep their bytes.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";

const EDITED = "In my own words: the port is 8417, and the tests stay as they are.";
let server, window, page, forked, compacted, tree, to, bytes;

const hash = async (path) =>
  createHash("sha256")
    .update(await readFile(path))
    .digest("hex");
const written = () => rpc(server, "written", {});

async function show(session, entry, tab) {
  const address = new URL(server.url);
  address.hash = new URLSearchParams({ s: session, e: entry, tab }).toString();
  await page.goto(address.href);
}

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  [forked, compacted] = await until("the samples in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "",
      limit: 50,
      offset: 0,
    });
    const own = sessions.filter((one) => one.agent === "pi");
    const two = [
      own.find((one) => one.branch_summaries >= 2),
      own.find((one) => one.compactions >= 1),
    ];
    return two.every(Boolean) && two;
  });
  bytes = await Promise.all([forked, compacted].map((one) => hash(one.path)));
  tree = await rpc(server, "tree", { session: forked.id });
  to = tree.nodes.filter((node) => node.kind === "message" && node.role === "assistant")[1].id;
});

after(async () => {
  await window?.close();
  await server?.stop();
});

test("a navigation is summarized, the summary edited, and both written as a new session", async () => {
  await show(forked.id, to, "navigate");
  await byId(page, "left-behind").waitFor();
  const sizes = await rpc(server, "navigate", { session: forked.id, to });
  const shown = byId(page, "context-after");
  await shown.waitFor();
  assert.equal(await shown.getAttribute("data-tokens"), String(sizes.context_after.tokens));
  // The size of a context is the same wherever it is shown.
  const there = await rpc(server, "context", {
    session: forked.id,
    at: to,
    offset: 0,
    limit: 0,
  });
  assert.equal(sizes.context_after.tokens, there.tokens.size);
  await until("a plan to run", async () => byId(page, "run-button").isEnabled());
  await byId(page, "run-button").click();
  await byId(page, "run-result", '[data-status="done"]').waitFor();
  await byId(page, "edit-summary").click();
  await byId(page, "summary-text").fill(EDITED);
  // The facts that the text lacks are counted as one types, and one is put in by a click.
  const counted = byId(page, "edited-ledger", '[data-fresh="true"]');
  await counted.waitFor();
  const lost = Number(await counted.getAttribute("data-lost"));
  assert.ok(lost > 1, `${lost} facts are lost`);
  await byId(page, "write-insert").first().click();
  await until("the fact in the text", async () => {
    const fresh = (await counted.count()) === 1;
    return fresh && Number(await counted.getAttribute("data-lost")) < lost;
  });
  await byId(page, "write-new").click();
  // The folder is shown before anything is written.
  const folder = await byId(page, "write-folder").innerText();
  assert.ok(forked.path.startsWith(folder), folder);
  assert.equal((await written()).length, 0);
  await byId(page, "write-confirm").click();
  const line = byId(page, "written-line", '[data-standing="as_written"]').first();
  await line.waitFor();
  const [row] = await written();
  assert.equal(row.change, "branch_summary");
  assert.ok(row.resume_command.includes(row.path));
  assert.equal(await hash(row.path), row.sha256);
});

test("the contexts of before and after are compared item by item", async () => {
  await byId(page, "compare-written").first().click();
  await byId(page, "contexts-items").last().click();
  const rows = byId(page, "context-rows").last();
  await rows.waitFor();
  const added = rows.locator('[data-testid="context-row"][data-side="after"]');
  assert.equal(await added.count(), 1);
  assert.match(await added.innerText(), /In my own words/);
  assert.ok((await rows.locator('[data-side="before"]').count()) > 2);
});

test("the written session opens, and the list marks it until an agent goes on in it", async () => {
  const [row] = await written();
  const context = await rpc(server, "context", {
    session: row.path,
    offset: 0,
  });
  assert.ok(context.items.at(-1).text.includes(EDITED));
  await byId(page, "open-written").first().click();
  await until("the written session in the window", async () =>
    decodeURIComponent(page.url()).includes(row.path.split("/").at(-1).slice(-12, -6)),
  );
  const listed = await until("the written session in the list", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "",
      limit: 50,
      offset: 0,
    });
    return sessions.find((one) => one.path === row.path);
  });
  assert.equal(listed.written, true);
  await byId(page, "row-written").first().waitFor();
});

test("the write is taken back", async () => {
  await show(forked.id, to, "navigate");
  const [row] = await written();
  await byId(page, "undo-written").first().click();
  await byId(page, "written-line", '[data-standing="undone"]').first().waitFor();
  assert.equal(existsSync(row.path), false);
});

test("branches are stepped through by a key and compared", async () => {
  const { branches } = await rpc(server, "branches", { session: forked.id });
  await byId(page, "branches", `[data-count="${branches.length}"]`).waitFor();
  await page.keyboard.press("b");
  const tips = branches.map((branch) => branch.tip_id);
  await until("a branch", async () => {
    const place = new URLSearchParams(new URL(page.url()).hash.slice(1));
    return tips.includes(place.get("e"));
  });
  await byId(page, "branch-compare").first().click();
  await byId(page, "branch-figure").first().waitFor();
  await byId(page, "branch-back").click();
});

test("a compaction is undone, and what it lost is put back", async () => {
  const { summaries, leaf_id: leaf } = await rpc(server, "open", {
    session: compacted.id,
  });
  const own = summaries.filter((one) => one.kind === "compaction").at(-1);
  await show(compacted.id, own.entry_id, "summary");
  await byId(page, "write-open").click();
  const undo = byId(page, "write-undone");
  await undo.locator('[data-testid="write-new"]').click();
  await undo.locator('[data-testid="write-confirm"]').click();
  const [undone] = await until("the undone compaction", async () => {
    const rows = await written();
    return rows[0]?.change === "history" && rows;
  });
  const then = await rpc(server, "context", {
    session: undone.path,
    offset: 0,
  });
  const now = await rpc(server, "context", {
    session: compacted.id,
    at: own.entry_id,
    offset: 0,
  });
  assert.ok(then.items.length > now.items.length);
  await byId(page, "put-back").click();
  // Of this session may be that nothing lost still matters, and then nothing is ticked.
  await byId(page, "put-back-all").click();
  const text = byId(page, "put-back-text");
  await until("the message", async () => (await text.inputValue()).includes("> "));
  const dialog = byId(page, "put-back-dialog");
  await dialog.locator('[data-testid="write-new"]').click();
  await dialog.locator('[data-testid="write-confirm"]').click();
  const [back] = await until("the message in a session", async () => {
    const rows = await written();
    return rows[0]?.change === "message" && rows;
  });
  const context = await rpc(server, "context", {
    session: back.path,
    offset: 0,
  });
  assert.equal(context.items.at(-1).text, await text.inputValue());
  assert.ok(leaf);
});

test("a hand-off is exported", async () => {
  const { summaries } = await rpc(server, "open", { session: compacted.id });
  const own = summaries.filter((one) => one.kind === "compaction").at(-1);
  await show(compacted.id, own.entry_id, "summary");
  await byId(page, "ledger-totals").waitFor();
  await byId(page, "export").last().click();
  const chosen = byId(page, "export-what");
  await chosen.selectOption({
    label: "Hand-off: summary, edited files, open tasks",
  });
  const [download] = await Promise.all([
    page.waitForEvent("download"),
    byId(page, "export-save").click(),
  ]);
  const text = await readFile(await download.path(), "utf8");
  const { summary } = await rpc(server, "ledger", {
    session: compacted.id,
    compaction: own.entry_id,
    run: null,
    summary: null,
    at: null,
  });
  assert.ok(text.includes(summary.trim().split("\n").at(-1).trim()), text.slice(0, 300));
});

test("the originals are as they were", async () => {
  assert.deepEqual(await Promise.all([forked, compacted].map((one) => hash(one.path))), bytes);
  assert.deepEqual(window.complaints, []);
});
