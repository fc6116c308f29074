// Switch branch: another entry is chosen as the leaf, what is left behind is seen, its summary is made
// by a scripted model and its ledger read; the session's file is not touched.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";

import { browser, byId, reload } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";
import { scriptedProvider } from "../lib/sample.mjs";

let server, scripted, window, page, session, tree, to, bytes;

const hash = async () =>
  createHash("sha256")
    .update(await readFile(session.path))
    .digest("hex");
const left = (from) => rpc(server, "leaving", { session: session.id, from, to });

before(async () => {
  server = await serve();
  scripted = await scriptedProvider(server, ["scripted-ok"]);
  window = await browser();
  page = window.page;
  session = await until("the sample with branches in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "",
      limit: 50,
      offset: 0,
    });
    return sessions.find((one) => one.branch_summaries >= 2);
  });
  bytes = await hash();
  tree = await rpc(server, "tree", { session: session.id });
  // An early reply: much is left behind for it.
  to = tree.nodes.filter((node) => node.kind === "message" && node.role === "assistant")[1].id;
  const address = new URL(server.url);
  address.hash = new URLSearchParams({
    s: session.id,
    e: to,
    tab: "navigate",
  }).toString();
  await page.goto(address.href);
  await byId(page, "left-behind").waitFor();
});

after(async () => {
  await window?.close();
  await scripted?.stop();
  await server?.stop();
});

test("the entries left behind are those between the leaf and the fork", async () => {
  const view = await left(null);
  assert.equal(view.from_id, tree.leaf_id);
  assert.ok(view.entries.length > 4, `${view.entries.length} entries`);
  assert.equal(
    await byId(page, "left-behind").getAttribute("data-count"),
    String(view.entries.length),
  );
  await byId(page, "plan", '[data-kind="branch_summary"][data-fresh="true"]').waitFor();
  const last = view.entries.at(-1).entry_id;
  assert.equal(await byId(page, "left-entry").last().getAttribute("data-entry"), last);
});

test("own instructions take the request's place, by keyboard alone", async () => {
  await byId(page, "take-plain").focus();
  await page.keyboard.press("ArrowRight");
  await byId(page, "instructions").fill("Name the files and nothing else.");
  // The offline summarizer reads no prompt, so none can be replaced.
  await byId(page, "instructions-unused").waitFor();
  assert.equal(await byId(page, "instructions-replace").count(), 0);
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-ok");
  await byId(page, "instructions-append").focus();
  await page.keyboard.press("ArrowRight");
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "show-prompt").first().click();
  await until("the prompt", async () => {
    const text = await byId(page, "prompt-text").innerText();
    return (
      text.includes("Name the files and nothing else.") && !text.includes("Use these sections")
    );
  });
});

test("a run ends with a summary that is kept, and leads to its ledger", async () => {
  await until("a plan to run", async () => byId(page, "run-button").isEnabled());
  await page.keyboard.press("Control+Enter");
  const result = byId(page, "run-result", '[data-status="done"]');
  await result.waitFor();
  const id = await result.getAttribute("data-run");
  const run = await rpc(server, "run", { run: id });
  assert.equal(run.kind, "branch_summary");
  assert.equal(run.plan.branch.to_id, to);
  assert.equal(run.plan.branch.from_id, tree.leaf_id);
  assert.equal(run.row.instructions, "Name the files and nothing else.");
  await byId(page, "open-ledger").click();
  await byId(page, "summary-tab").waitFor();
  assert.ok(
    (await byId(page, "ledger-totals").count()) === 1 ||
      (await until("the ledger", async () => byId(page, "ledger-totals").count())),
  );
  assert.equal(await hash(), bytes, "the session's file is as it was");
});

test("both ends can be changed, and a reload comes back to them", async () => {
  await byId(page, "tab-navigate").click();
  await byId(page, "back-to-plan").click();
  await byId(page, "turn-round").click();
  await byId(page, "nothing-left").waitFor();
  await reload(page);
  await byId(page, "nothing-left").waitFor();
  const place = new URLSearchParams(new URL(page.url()).hash.slice(1));
  assert.deepEqual(
    [place.get("from"), place.get("e"), place.get("tab")],
    [to, tree.leaf_id, "navigate"],
  );
});
