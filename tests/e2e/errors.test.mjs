// What the window says when something is missing, wrong or gone, and where it leads.

import assert from "node:assert/strict";
import { cp, mkdir, readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";
import { compacted, scriptedProvider } from "../lib/sample.mjs";

const SAMPLES = new URL("../../assets/samples/", import.meta.url);

let home, added, server, scripted, window, page, session;

before(async () => {
  home = await scratch("home");
  added = join(home.dir, "elsewhere");
  await mkdir(added, { recursive: true });
  // A key that happens to be set on the machine must not let a run start.
  server = await serve({ env: { OPENAI_API_KEY: "" } });
  scripted = await scriptedProvider(server, ["scripted-unauthorized"]);
  window = await browser();
  page = window.page;
  session = await compacted(server);
  await page.goto(server.url);
  await byId(page, "session-row", `[data-session="${session.id}"]`).waitFor();
});

after(async () => {
  await window?.close();
  await scripted?.stop();
  await server?.stop();
  await home?.remove();
});

const goTo = (hash) => page.evaluate((next) => (location.hash = next), hash);

test("a link to a session that is not there says so", async () => {
  await goTo("#s=0000000000000000");
  const note = byId(page, "error-note");
  await note.first().waitFor();
  assert.match(await note.first().innerText(), /Not found/);
});

test("a link to an entry that is not there opens the session and says so", async () => {
  await goTo(`#s=${session.id}&e=no-such-entry`);
  await byId(page, "outline-row").first().waitFor();
  const toast = byId(page, "toast").filter({
    hasText: "no-such-entry, which this session does not have",
  });
  await toast.waitFor();
});

test("filters of sessions alone say that no entry was searched, and offer entries", async () => {
  await byId(page, "search").fill("has:compaction");
  await byId(page, "only-filters").waitFor();
  await byId(page, "places-kind:summary").click();
  await byId(page, "search-hit").first().waitFor();
  assert.equal(await byId(page, "only-filters").count(), 0);
  await byId(page, "search-clear").click();
});

test("a run without a key cannot start, and the reason leads to the key", async () => {
  await goTo(`#s=${session.id}`);
  await byId(page, "outline").focus();
  await page.keyboard.press("[");
  await byId(page, "tab-rerun").click();
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "provider").selectOption("openai");
  const why = byId(page, "run-fix");
  await why.waitFor();
  assert.equal(await why.innerText(), "Add an API key for openai");
  assert.ok(await byId(page, "run-button").isDisabled());
  await why.click();
  await page.getByRole("dialog").getByRole("heading", { name: "Providers" }).waitFor();
  await page.keyboard.press("Escape");
});

test("a call that a provider refuses fails with its reason, which the row of the run keeps to two lines", async () => {
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-unauthorized");
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  await byId(page, "run-button").click();
  await byId(page, "run-result", '[data-status="failed"]').waitFor({
    timeout: 60_000,
  });
  assert.notEqual((await byId(page, "run-result").innerText()).trim(), "");
  await byId(page, "tab-runs").click();
  const row = byId(page, "run-row", '[data-status="failed"]').first();
  assert.match(await row.innerText(), /scripted scripted-unauthorized/);
  const error = row.locator('[data-testid="run-error"]');
  const { height } = await error.boundingBox();
  assert.ok(height < 40, `the error takes ${height} pixels, more than two lines`);
  await row.locator('[data-testid="unfold-run"]').click();
  await byId(page, "run-remains").waitFor();
});

test("a folder that is no full path is refused as it is typed", async () => {
  await byId(page, "open-settings").click();
  await byId(page, "root-input").fill("sessions");
  assert.match(await byId(page, "root-flaw").innerText(), /full path/);
  assert.ok(await byId(page, "root-add").isDisabled());
  await byId(page, "root-input").fill("");
  await page.keyboard.press("Escape");
});

test("a deleted session is marked in the list, and a rescan takes it out", async () => {
  const sample = (await readdir(SAMPLES)).find((name) => name.includes("two-compactions"));
  const file = join(added, "2026-11-20T09-00-00-000Z_gone.jsonl");
  await cp(new URL(sample, SAMPLES), file, { recursive: true });
  await rpc(server, "index", { roots: [added] });
  const { sessions } = await rpc(server, "sessions", {});
  const gone = sessions.find((one) => one.path === file);
  await rm(file);
  await goTo(`#s=${gone.id}`);
  await byId(page, "rescan-gone").waitFor();
  assert.match(await byId(page, "error-note").first().innerText(), /deleted or moved/);
  const row = byId(page, "session-row", `[data-session="${gone.id}"]`);
  assert.match(await row.innerText(), /deleted/);
  await byId(page, "rescan-gone").click();
  await until("the list without it", async () => (await row.count()) === 0);
});

test("the page itself did not fail", () => {
  // The browser reports answers that say an error; nothing else may stand in its console.
  const own = window.complaints.filter((line) => !/Failed to load resource/.test(line));
  assert.deepEqual(own, []);
});
