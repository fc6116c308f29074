// What the user marks: a session is starred and found again, an entry is annotated and found by its
// note, and both are there after the page is loaded again and in another window.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve } from "../lib/program.mjs";
import { compacted } from "../lib/sample.mjs";

const NOTE = "Zwieback: the real cause";

let server, window, page, session, entry;

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  session = await compacted(server);
  await page.goto(server.url);
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  const selected = byId(page, "outline-row", '[aria-selected="true"]');
  await selected.waitFor();
  entry = await selected.getAttribute("data-entry");
});

after(async () => {
  await window?.close();
  await server?.stop();
});

test("a session is starred with a key and found by its star", async () => {
  await page.keyboard.press("s");
  await byId(page, "star", '[aria-pressed="true"]').waitFor();
  await byId(page, "filter-starred").click();
  await page.waitForFunction(
    () => document.querySelectorAll('[data-testid="session-row"]').length === 1,
  );
  const only = byId(page, "session-row");
  assert.equal(await only.getAttribute("data-session"), session.id);
  await byId(page, "filter-starred").click();
});

test("a note and a label are written on the entry and shown in the tree", async () => {
  await byId(page, "outline").focus();
  await page.keyboard.press("n");
  await byId(page, "note-field").fill(NOTE);
  await page.keyboard.press("Control+Enter");
  await byId(page, "note-text").waitFor();
  await page.keyboard.press("l");
  await byId(page, "label-field").fill("needs review");
  await page.keyboard.press("Enter");
  await byId(page, "row-label").waitFor();
  const row = byId(page, "outline-row", `[data-entry="${entry}"]`);
  assert.equal(await row.getByTestId("row-note").getAttribute("title"), NOTE);
});

test("the canvas takes the marks", async () => {
  await byId(page, "view-canvas").click();
  await byId(page, "canvas", '[data-state="ready"]').waitFor();
  assert.equal(await byId(page, "canvas-fallback").count(), 0);
  await byId(page, "view-outline").click();
});

test("the entry is found by its note", async () => {
  await byId(page, "search").fill("zwieback");
  const hit = byId(page, "mark-hit");
  await hit.waitFor();
  assert.equal(await hit.getAttribute("data-entry"), entry);
  await byId(page, "search").fill("note:zwieback label:review");
  await byId(page, "mark-hit", '[data-kind="note"]').waitFor();
  await byId(page, "session-row", `[data-session="${session.id}"]`).waitFor();
});

test("another window hears of a change", async () => {
  await rpc(server, "note_save", {
    session: session.id,
    entry,
    text: "changed elsewhere",
  });
  await page.waitForFunction(
    () => document.querySelector('[data-testid="note-text"]')?.textContent === "changed elsewhere",
  );
});

test("all of it is there after the page is loaded again", async () => {
  await page.reload();
  await byId(page, "star", '[aria-pressed="true"]').waitFor();
  await byId(page, "note-text").waitFor();
  assert.equal(await byId(page, "note-text").innerText(), "changed elsewhere");
  await byId(page, "user-label", '[data-label="needs review"]').waitFor();
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
