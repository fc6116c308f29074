// The canvas: the session from afar, its turns, its entries; what the pointer and the keys do there;
// and the cut, which is dragged from place to place, put back by Escape, left where it is let go.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId, reload } from "../lib/browser.mjs";
import { serve, until } from "../lib/program.mjs";
import { compacted } from "../lib/sample.mjs";

let server, window, page, session;

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  session = await compacted(server);
  await page.goto(`${server.url}#s=${session.id}&tab=rerun&view=canvas`);
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "canvas", '[data-state="ready"][data-grip]').waitFor();
});

after(async () => {
  await window?.close();
  await server?.stop();
});

const canvas = () => byId(page, "canvas");
const cut = () => canvas().getAttribute("data-cut");
/** What an attribute of the canvas says once it stays the same: pointers are looked at once a frame. */
async function rested(name) {
  let last = "";
  await until(`${name} to rest`, async () => {
    const now = await canvas().getAttribute(name);
    const rests = now !== null && now === last;
    last = now;
    return rests;
  });
  return last;
}
/** Where the grip is in the window. */
async function grip() {
  const [x, y] = (await rested("data-grip")).split(" ").map(Number);
  const box = await canvas().boundingBox();
  return { x: box.x + x, y: box.y + y };
}
/** Takes hold of the grip and goes up by so many pixels, down by negative ones, without letting go. */
async function drag(up) {
  const from = await grip();
  await page.mouse.move(from.x, from.y);
  // A press is meant for what was under the pointer in the frame before.
  await page.waitForFunction(
    () =>
      new Promise((drawn) => requestAnimationFrame(() => requestAnimationFrame(() => drawn(true)))),
  );
  await page.mouse.down();
  await page.mouse.move(from.x, from.y - up, { steps: 6 });
}

test("the cut is dragged on the canvas; Escape puts it back", async () => {
  const entry = await cut();
  await drag(-130);
  await until("the cut to follow", async () => (await cut()) !== entry);
  await byId(page, "cut-by-hand").waitFor();
  await page.keyboard.press("Escape");
  await until("the cut as it was", async () => (await cut()) === entry);
  await page.mouse.move(400, 400);
  await page.mouse.up();
  assert.equal(await cut(), entry);
  assert.equal(await byId(page, "cut-by-hand").count(), 0);
});

test("let go, it stays, and timeline and plan have it", async () => {
  const entry = await cut();
  const before = await page.evaluate(() => location.hash);
  await drag(-130);
  await until("the cut to follow", async () => (await cut()) !== entry);
  await page.mouse.up();
  const moved = await rested("data-cut");
  await byId(page, "cut-handle", `[data-entry="${moved}"]`).waitFor();
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await until(
    "the address to have it",
    async () => (await page.evaluate(() => location.hash)) !== before,
  );
  await reload(page);
  await byId(page, "cut-by-hand").waitFor();
  await until("the cut after a reload", async () => (await cut()) === moved);
  await byId(page, "cut-reset").click();
  await until("the preset's own cut", async () => (await cut()) === entry);
});

/** The rows on screen, and how many there are. */
async function rows() {
  const [first, last, all] = (await rested("data-rows")).split(" ").map(Number);
  return { first, last, all };
}
/** Looks from another distance and waits until the view has arrived. */
async function lookFrom(distance) {
  await byId(page, `canvas-${distance}`).click();
  await byId(page, "canvas", `[data-distance="${distance}"]`).waitFor();
  await rows();
  return canvas().screenshot();
}
const chosen = () =>
  page.evaluate(() => new URLSearchParams(location.hash.slice(1)).get("e") ?? location.hash);

test("a session is looked at from three distances", async () => {
  await page.goto("about:blank");
  await page.goto(`${server.url}#s=${session.id}&view=canvas`);
  await byId(page, "canvas", '[data-state="ready"][data-rows]').waitFor();
  const far = await lookFrom("far");
  const whole = await rows();
  assert.deepEqual([whole.first, whole.last + 1], [0, whole.all], "all rows are on screen");
  const near = await lookFrom("near");
  const entries = await rows();
  assert.ok(entries.last - entries.first < whole.all, "near, only a part is on screen");
  assert.notDeepEqual(near, far);
  await page.keyboard.press("z");
  await page.keyboard.press("f");
  await until("all rows on screen again", async () => {
    const now = await rows();
    return now.first === 0 && now.last + 1 === now.all;
  });
});

test("keys move and zoom, and tell nothing that the page does not show", async () => {
  await lookFrom("near");
  await canvas().focus();
  await page.keyboard.press("Home");
  assert.equal((await rows()).first, 0);
  await page.keyboard.press("End");
  const end = await rows();
  assert.equal(end.last + 1, end.all);
  await page.keyboard.press("PageUp");
  await until("the rows above", async () => (await rows()).first < end.first);
  const before = await rows();
  await page.keyboard.press("-");
  await until("more rows at once", async () => {
    const now = await rows();
    return now.last - now.first > before.last - before.first;
  });
  const entry = await chosen();
  await page.keyboard.press("ArrowUp");
  await until("the entry before", async () => (await chosen()) !== entry);
});

test("the pointer shows a row's facts, and a click selects what the outline shows too", async () => {
  await lookFrom("far");
  const box = await canvas().boundingBox();
  const at = { x: box.x + box.width * 0.2, y: box.y + box.height * 0.4 };
  await page.mouse.move(at.x, at.y);
  const entry = await byId(page, "canvas-hover").getAttribute("data-entry");
  const facts = await byId(page, "canvas-hover").boundingBox();
  const picture = await canvas().locator("canvas").boundingBox();
  assert.ok(facts.y >= picture.y + picture.height - 1, "the facts cover no card");
  await page.mouse.click(at.x, at.y);
  await until("the row in the address", async () =>
    (await page.evaluate(() => location.hash)).includes(entry),
  );
  await page.keyboard.press("v");
  await page.locator(`[data-testid="outline"] [aria-selected="true"]`).waitFor();
  await page.keyboard.press("v");
  await byId(page, "canvas", '[data-state="ready"][data-rows]').waitFor();
  await byId(page, "canvas-legend-button").click();
  await byId(page, "canvas-legend").getByText("Tool results").waitFor();
  await byId(page, "canvas-legend").getByRole("button").click();
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
