// Chromium as the tests use it: the system's own, driven by the playwright-core that the
// interface's lock file fixes.

import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";

import { scratch } from "./program.mjs";

const require = createRequire(new URL("../../ui/package.json", import.meta.url));
const { chromium } = require("playwright-core");

/** What tests may run where there is no sandbox, no graphics card and no way out. */
const ARGS = [
  "--no-sandbox",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
  "--enable-unsafe-swiftshader",
];

function executable() {
  const places = [
    process.env.CHROMIUM,
    "/usr/bin/chromium",
    "/usr/bin/chromium-browser",
    "/usr/bin/google-chrome",
  ];
  const found = places.find((place) => place && existsSync(place));
  if (!found) throw new Error("Chromium was not found; install it or set CHROMIUM to its path");
  return found;
}

/**
 * Shows the page in the folder that PALIMPSEST_PAGE names, where it is set, instead of the one built
 * into the program, with the program's own headers.
 */
export async function replacePage(context) {
  const folder = process.env.PALIMPSEST_PAGE;
  if (!folder) return;
  const fileOf = (url) => join(folder, url.pathname === "/" ? "index.html" : url.pathname);
  await context.route(
    (url) => url.hostname === "127.0.0.1" && existsSync(fileOf(url)),
    async (route) => {
      const url = new URL(route.request().url());
      const path = fileOf(url);
      if (url.pathname === "/") await route.fulfill({ response: await route.fetch(), path });
      else await route.fulfill({ path });
    },
  );
}

/** A window of a fresh browser profile. */
export async function browser({ width = 1280, height = 800, dark = false } = {}) {
  const profile = await scratch("chromium");
  const context = await chromium.launchPersistentContext(profile.dir, {
    executablePath: executable(),
    headless: true,
    args: ARGS,
    viewport: { width, height },
    colorScheme: dark ? "dark" : "light",
    reducedMotion: "reduce",
  });
  await replacePage(context);
  const page = context.pages()[0] ?? (await context.newPage());
  page.setDefaultTimeout(20_000);
  /** What went wrong in the page; a test that passes leaves it empty. */
  const complaints = [];
  page.on("pageerror", (error) => complaints.push(`uncaught: ${error.message}`));
  page.on("console", (message) => {
    if (message.type() === "error") complaints.push(`console: ${message.text()}`);
  });
  return {
    page,
    complaints,
    async close() {
      await context.close();
      await profile.remove();
    },
  };
}

/** Reloads the page once its address, which follows what is drafted every 200 ms at most, rests. */
export async function reload(page) {
  const address = () => page.evaluate(() => location.hash);
  for (let last, now = await address(); last !== now; now = await address()) {
    last = now;
    await page.waitForTimeout(250);
  }
  await page.reload();
}

/** The element with a test id; `more` narrows it down by attributes. */
export function byId(page, id, more = "") {
  return page.locator(`[data-testid="${id}"]${more}`);
}
