// Entries chosen by hand: summarized from one on, up to one, or one by one.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId, reload } from "../lib/browser.mjs";
import { serve, until } from "../lib/program.mjs";
import { compacted } from "../lib/sample.mjs";

let server, window, page;

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  const session = await compacted(server);
  await page.goto(`${server.url}#s=${session.id}&tab=rerun`);
  await fresh();
});

after(async () => {
  await window?.close();
  await server?.stop();
});

const fresh = () => byId(page, "plan", '[data-fresh="true"]').waitFor();
const row = (entry) => byId(page, "outline-row", `[data-entry="${entry}"]`);
/** The messages on screen since the last compaction, with what the plan makes of them. */
const rows = () =>
  byId(page, "outline-row").evaluateAll((all) => {
    const since = all.findLastIndex((one) => one.dataset.kind === "compaction") + 1;
    return all
      .slice(since)
      .filter((one) => one.dataset.kind === "message")
      .map((one) => [one.dataset.entry, one.dataset.span]);
  });
async function choose(entry, item) {
  await row(entry).click({ button: "right" });
  await byId(page, `row-${item}`).click();
}

test("from an entry on, what follows is summarized; up to it, what comes before", async () => {
  const shown = await until("the outline", async () => (await rows()).length > 6 && rows());
  const [middle] = shown[Math.floor(shown.length / 2)];
  await choose(middle, "from");
  await until("the plan to begin there", async () => {
    const now = await rows();
    const at = now.findIndex(([entry]) => entry === middle);
    return (
      now.slice(at).every(([, span]) => span === "summarized") &&
      at > 0 &&
      now[at - 1][1] === "kept"
    );
  });
  await choose(middle, "up-to");
  await until("the plan to end there", async () => {
    const now = await rows();
    const at = now.findIndex(([entry]) => entry === middle);
    return (
      now.slice(0, at + 1).every(([, span]) => span === "summarized") && now.at(-1)[1] === "kept"
    );
  });
  assert.equal(await byId(page, "kind-select").inputValue(), "from_entry");
});

test("marked entries are summarized and the others stay", async () => {
  const shown = await until("enough rows", async () => (await rows()).length > 6 && rows());
  const [first, second] = [shown[1][0], shown[4][0]];
  await choose(first, "mark");
  await choose(second, "mark");
  await until(
    "both to be summarized",
    async () =>
      (await row(first).getAttribute("data-span")) === "summarized" &&
      (await row(second).getAttribute("data-span")) === "summarized",
  );
  assert.ok((await rows()).some(([, span]) => span === "kept"));
  await choose(second, "mark");
  await until(
    "the second to stay",
    async () => (await row(second).getAttribute("data-span")) === "kept",
  );
  await reload(page);
  await until(
    "the mark after a reload",
    async () =>
      (await byId(page, "pick-note").innerText()).startsWith("1 entry is marked") &&
      (await byId(page, "param-ids").inputValue()) === first,
  );
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
