// The cut on the canvas: dragged from place to place, put back by Escape, left where it is let go.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId, reload } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";

let server, window, page;

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  const session = await until("the samples in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "has:compaction",
      limit: 50,
      offset: 0,
    });
    return sessions.find((one) => one.compactions >= 2);
  });
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
/** Takes hold of the grip and goes up by so many pixels, without letting go. */
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
  await drag(130);
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
  await drag(130);
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

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
