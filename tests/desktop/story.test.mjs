// The same story in the real window: the shell has to carry every call and event that the
// browser gets over HTTP. Needs a display; `scripts/with-display` makes one.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";

import { program, scratch, until } from "../lib/program.mjs";
import { openWindow, startDriver } from "../lib/webdriver.mjs";

const RESULTS = fileURLToPath(new URL("../e2e/results/", import.meta.url));
/** The first window compiles WebKit's shaders in software; later steps are quick. */
const FIRST_WINDOW = { within: 90_000 };

const id = (name, more = "") => `[data-testid="${name}"]${more}`;

let driver, data, window;

before(async () => {
  driver = await startDriver(process.env.TAURI_DRIVER ?? "tauri-driver");
  data = await scratch("desktop");
  const application = program("palimpsest-desktop", "PALIMPSEST_DESKTOP");
  window = await openWindow(driver, application, ["--samples", "--data-dir", data.dir]);
});

after(async () => {
  try {
    if (window) {
      await mkdir(RESULTS, { recursive: true });
      await writeFile(`${RESULTS}/desktop.png`, await window.screenshot());
      await window.close();
    }
  } finally {
    driver?.stop();
    await data?.remove();
  }
});

test("the window opens with the sample sessions", async () => {
  assert.equal(await window.title(), "Palimpsest");
  await until(
    "four sessions",
    async () => (await window.findAll(id("session-row"))).length >= 4,
    FIRST_WINDOW,
  );
});

test("a session with compactions opens", async () => {
  await window.type(id("search"), "has:compaction");
  await until(
    "the list to be filtered",
    async () => (await window.findAll(id("session-row"))).length < 4,
  );
  await window.click(id("session-row"));
  await window.find(id("outline-row", '[aria-selected="true"]'));
});

test("the canvas is there, or says why not", async () => {
  await window.click(id("view-canvas"));
  await window.find(`${id("canvas")}, ${id("canvas-fallback")}`);
  await window.click(id("view-outline"));
});

test("a compaction's ledger is read", async () => {
  await window.click(id("tab-summary"));
  await window.find(id("ledger-totals"));
  await window.click(id("fact"));
  await window.find(id("fact", '[aria-pressed="true"]'));
});

test("the compaction is run again, streaming through the shell's events", async () => {
  await window.click(id("rerun-this"));
  await window.type(id("instructions"), "Keep every file path.");
  await window.find(id("plan", '[data-fresh="true"]'));
  await until("the run button", () =>
    window.run(`return !document.querySelector('${id("run-button")}')?.disabled`),
  );
  await window.click(id("run-button"));
  await window.find(id("run-result", '[data-status="done"]'), { within: 60_000 });
});

test("the two summaries are compared", async () => {
  await window.click(id("compare-own"));
  await window.find(id("compare-totals"));
});

test("the page may call the shell's one command and no other", async () => {
  const refused = await window.run(`
    return window.__TAURI_INTERNALS__.invoke("plugin:opener|open_path", { path: "/" })
      .then(() => "allowed", (error) => String(error));`);
  assert.match(refused, /not allowed/);
});
