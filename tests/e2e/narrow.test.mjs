// The smallest window that the layout is made for, 900 by 700: nothing is cut off, and nothing moves
// the window as a whole.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve } from "../lib/program.mjs";
import { compacted, openRerun } from "../lib/sample.mjs";

const WIDTH = 900;

let server, window, page;

before(async () => {
  server = await serve();
  await rpc(server, "provider_save", {
    name: "a provider with a long name",
    kind: "openai",
    base_url: "http://127.0.0.1:9/v1",
    key_env: null,
    models: ["a-model-with-a-long-name"],
  });
  window = await browser({ width: WIDTH, height: 700 });
  page = window.page;
  await openRerun(page, server, await compacted(server));
});

after(async () => {
  await window?.close();
  await server?.stop();
});

/** The right edge of each of the elements. */
const ends = (id) =>
  byId(page, id).evaluateAll((all) => all.map((one) => one.getBoundingClientRect().right));
const within = (edges) => edges.length > 0 && edges.every((edge) => edge <= WIDTH);

test("the title of the session and the legend of the plan are read", async () => {
  const { width } = await byId(page, "session-title").boundingBox();
  assert.ok(width > 140, `the title has ${width} pixels`);
  const cut = await byId(page, "timeline-legend")
    .locator("span")
    .evaluateAll((all) =>
      all.filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => one.textContent),
    );
  assert.deepEqual(cut, []);
});

test("the model stands inside its pane", async () => {
  await byId(page, "provider").selectOption("a provider with a long name");
  await byId(page, "model").waitFor();
  const edges = await ends("model");
  assert.ok(within(edges), `it ends at ${edges}`);
  await byId(page, "provider").selectOption("offline");
});

test("a run in the list has all its columns", async () => {
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "run-button").click();
  await byId(page, "run-result", '[data-status="done"]').waitFor({
    timeout: 60_000,
  });
  await byId(page, "tab-runs").click();
  await byId(page, "delete-run").waitFor();
  const edges = await ends("delete-run");
  assert.ok(within(edges), `they end at ${edges}`);
});

test("a fact that is chosen does not move the window", async () => {
  await byId(page, "tab-summary").click();
  await byId(page, "fact").last().click();
  await byId(page, "ledger-summary").scrollIntoViewIfNeeded();
  const { y } = await byId(page, "window").boundingBox();
  assert.equal(y, 0);
  const box = await byId(page, "ledger-summary").boundingBox();
  assert.ok(box.y < 700 && box.height > 60, JSON.stringify(box));
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
