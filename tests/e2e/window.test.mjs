// What holds for the window as a whole: keys, the canvas, themes, and who may open it.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { serve } from "../lib/program.mjs";

let server, window, page;

before(async () => {
  server = await serve();
  window = await browser({ dark: true });
  page = window.page;
  await page.goto(server.url);
  await byId(page, "session-row").first().click();
  await byId(page, "outline-row").first().waitFor();
});

after(async () => {
  await window?.close();
  await server?.stop();
});

test("the token does not stay in the address", async () => {
  assert.ok(!page.url().includes("token="), page.url());
});

test("without the token there is nothing to see", async () => {
  const { origin } = new URL(server.url);
  const answer = await fetch(`${origin}/rpc/sessions`, {
    method: "POST",
    body: "{}",
  });
  assert.equal(answer.status >= 400 && answer.status < 500, true, `answered ${answer.status}`);
});

test("the system's dark colours are used", async () => {
  const light = await page.evaluate(() => {
    const [r, g, b] = getComputedStyle(document.body)
      .backgroundColor.match(/[\d.]+/g)
      .map(Number);
    return (r + g + b) / 3;
  });
  assert.ok(light < 96, `the background's brightness is ${light} of 255`);
});

test("the palette finds a command and runs it", async () => {
  await page.keyboard.press("Control+k");
  await byId(page, "palette-input").fill("show the context");
  await page.keyboard.press("Enter");
  await byId(page, "context-tab").waitFor();
});

test("the outline is walked with keys", async () => {
  await byId(page, "outline").focus();
  const selected = byId(page, "outline-row", '[aria-selected="true"]');
  const from = await selected.getAttribute("data-entry");
  await page.keyboard.press("k");
  await page.waitForFunction(
    (before) =>
      document.querySelector('[data-testid="outline-row"][aria-selected="true"]')?.dataset.entry !==
      before,
    from,
  );
});

test("the canvas draws the tree", async () => {
  await byId(page, "view-canvas").click();
  const canvas = byId(page, "canvas");
  await canvas.waitFor();
  // A canvas that shows one flat colour has drawn nothing; a PNG of it would be tiny.
  let picture = Buffer.alloc(0);
  for (let tries = 0; tries < 40 && picture.length < 3_000; tries += 1) {
    await page.waitForTimeout(250);
    picture = await canvas.screenshot();
  }
  assert.ok(picture.length >= 3_000, `the canvas as PNG has ${picture.length} bytes`);
  assert.equal(await byId(page, "canvas-fallback").count(), 0);
  await byId(page, "view-outline").click();
});

test("the list of search filters is within the window, and Escape closes it", async () => {
  for (const [width, height] of [
    [900, 700],
    [1280, 800],
  ]) {
    await page.setViewportSize({ width, height });
    await byId(page, "search-help").click();
    await byId(page, "search-filters").locator("dt").first().waitFor();
    const box = await byId(page, "search-filters").boundingBox();
    assert.ok(box.x >= 0 && box.x + box.width <= width, `${box.x} + ${box.width} of ${width}`);
    assert.ok(box.y + box.height <= height, `${box.y} + ${box.height} of ${height}`);
    await page.keyboard.press("Escape");
    await byId(page, "search-filters").waitFor({ state: "detached" });
  }
});

test("a message covers no control, and the run button stays on one line", async () => {
  await page.setViewportSize({ width: 900, height: 700 });
  await byId(page, "tab-rerun").click();
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "index-button").click();
  await byId(page, "toast").waitFor();
  const strip = await byId(page, "toasts").boundingBox();
  const bar = await byId(page, "run-bar").boundingBox();
  const run = await byId(page, "run-button").boundingBox();
  assert.ok(bar.y + bar.height <= strip.y + 1, `the bar ends at ${bar.y + bar.height}`);
  assert.ok(run.height <= 32, `the button is ${run.height} high`);
  assert.ok(run.x + run.width <= 900, `the button ends at ${run.x + run.width}`);
  // It goes by itself.
  await byId(page, "toast").waitFor({ state: "detached" });
  await page.setViewportSize({ width: 1280, height: 800 });
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
