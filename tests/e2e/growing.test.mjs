// A session that an agent is still writing grows on screen, and is never written to by us.

import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { appendFile, cp, mkdir, readFile, readdir } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { scratch, serve, until } from "../lib/program.mjs";

const SAMPLES = new URL("../../assets/samples/", import.meta.url);
/** What the user says while we look on. */
const NEWS = "Please also tell the harbour master.";

let home, server, window, page, file;

before(async () => {
  home = await scratch("home");
  const folder = join(home.dir, ".pi", "agent", "sessions", "--home--ada--courier--");
  await mkdir(folder, { recursive: true });
  const sample = (await readdir(SAMPLES)).find((name) => name.includes("two-compactions"));
  file = join(folder, "2026-11-20T09-00-00-000Z_growing.jsonl");
  await cp(new URL(sample, SAMPLES), file);
  server = await serve({ samples: false, env: { HOME: home.dir } });
  window = await browser();
  page = window.page;
  await page.goto(server.url);
});

after(async () => {
  await window?.close();
  await server?.stop();
  await home?.remove();
});

test("the agent's own folder is found and its session opens", async () => {
  await byId(page, "session-row").first().click();
  await byId(page, "outline-row", '[aria-selected="true"]').waitFor();
  assert.equal(await byId(page, "session-row").count(), 1);
});

test("an appended entry appears without being asked for", async () => {
  const text = await readFile(file, "utf8");
  const last = text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line))
    .findLast((entry) => entry.id && entry.type !== "session");
  const entry = {
    type: "message",
    id: "feedbeef",
    parentId: last.id,
    timestamp: "2026-11-20T10:00:00.000Z",
    message: {
      role: "user",
      content: [{ type: "text", text: NEWS }],
      timestamp: 1795168800000,
    },
  };
  await appendFile(file, `${JSON.stringify(entry)}\n`);
  await until("the new entry in the outline", async () => {
    const rows = await byId(page, "outline-row").allInnerTexts();
    return rows.some((row) => row.includes(NEWS));
  });
});

test("looking at a session changes nothing in it", async () => {
  const hash = async () =>
    createHash("sha256")
      .update(await readFile(file))
      .digest("hex");
  const before = await hash();
  await byId(page, "outline").focus();
  await page.keyboard.press("[");
  await byId(page, "outline-row", '[data-kind="compaction"][aria-selected="true"]').waitFor();
  await byId(page, "tab-rerun").click();
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "run-button").click();
  await byId(page, "run-result", '[data-status="done"]').waitFor({
    timeout: 60_000,
  });
  assert.equal(await hash(), before);
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
