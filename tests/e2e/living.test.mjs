// The page lives with a program that is started again, a link without its token, a folder that is
// added, and a session file that is deleted.

import assert from "node:assert/strict";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { scratch, serve, until } from "../lib/program.mjs";

const SAMPLES = new URL("../../assets/samples/", import.meta.url);

let home, data, server, window, page, sample, added;

before(async () => {
  home = await scratch("home");
  data = await scratch("data");
  added = join(home.dir, "elsewhere");
  await mkdir(added, { recursive: true });
  sample = (await readdir(SAMPLES)).find((name) => name.includes("two-compactions"));
  server = await serve({ samples: false, env: { HOME: home.dir }, data });
  window = await browser();
  page = window.page;
});

after(async () => {
  await window?.close();
  await server?.stop();
  await data?.remove();
  await home?.remove();
});

test("a link without the token asks for it, and takes the address that has it", async () => {
  await page.goto(new URL(server.url).origin);
  await byId(page, "token-input").fill("not it");
  await page.keyboard.press("Enter");
  // Only the page after the reload says this.
  await byId(page, "token-refused").waitFor();
  await byId(page, "token-input").fill(server.url);
  await page.keyboard.press("Enter");
  // The list itself is replaced by a first page while there are no sessions.
  await byId(page, "search").waitFor();
  assert.equal(await byId(page, "token-form").count(), 0);
});

test("a folder added in the settings is watched at once", async () => {
  await byId(page, "open-settings").click();
  await byId(page, "root-input").fill(added);
  await byId(page, "root-add").click();
  await byId(page, "root-row").waitFor();
  await page.keyboard.press("Escape");
  await cp(new URL(sample, SAMPLES), join(added, "2026-11-20T09-00-00-000Z_new.jsonl"));
  await byId(page, "session-row").first().waitFor();
});

test("a program that stops is said, and the page goes on with the next one", async () => {
  await byId(page, "session-row").first().click();
  await byId(page, "outline-row", '[aria-selected="true"]').waitFor();
  const { port, searchParams } = new URL(server.url);
  await server.stop();
  await byId(page, "connection-lost").waitFor();
  server = await serve({ samples: false, env: { HOME: home.dir }, data, port });
  assert.equal(new URL(server.url).searchParams.get("token"), searchParams.get("token"));
  await byId(page, "connection-lost").waitFor({
    state: "detached",
    timeout: 30_000,
  });
  await page.reload();
  await byId(page, "outline-row", '[aria-selected="true"]').waitFor();
});

test("no more than three tab stops lie between neighbouring areas", async () => {
  const AREAS = ["session-list", "timeline-plot", "outline", "tab-entry"];
  await byId(page, "search").focus();
  const stops = [];
  for (let n = 0; n < 40 && stops.at(-1) !== AREAS.at(-1); n += 1) {
    await page.keyboard.press("Tab");
    stops.push(
      await page.evaluate(() => document.activeElement?.getAttribute("data-testid") ?? ""),
    );
  }
  const at = AREAS.map((area) => stops.indexOf(area));
  // The list is empty by now and takes no focus; its search box stands for it.
  const between = at.slice(1).map((place, n) => place - Math.max(0, at[n]) - 1);
  assert.ok(
    at.slice(1).every((place) => place >= 0),
    stops.join(" "),
  );
  assert.ok(
    between.every((count) => count <= 3),
    stops.join(" "),
  );
});

test("a deleted session stays on screen and is said to be gone", async () => {
  // The program reads again what changed on disk.
  await rm(join(added, "2026-11-20T09-00-00-000Z_new.jsonl"));
  await byId(page, "session-stale").waitFor();
  await byId(page, "outline-row").first().waitFor();
  await until("the list without it", async () => (await byId(page, "session-row").count()) === 0);
});
