// Takes a picture of every screen, light and dark, in two sizes: screens.mjs FOLDER
//
// The pictures are for people to look at; no test compares them.

import { mkdir } from "node:fs/promises";
import { join } from "node:path";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";

const folder = process.argv[2];
if (!folder) {
  console.error("usage: scripts/screenshots FOLDER");
  process.exit(2);
}

const SIZES = [
  { width: 1280, height: 800 },
  { width: 1920, height: 1080 },
];

const key = (keys) => (page) => page.keyboard.press(keys);
const shown = (id) => (page) => byId(page, id).first().waitFor();

/** The place of a screen as the address has it, and what to do and wait for there. */
function screens({ twice, branches, errors, own, run, branchSummary }) {
  const at = (session, more = {}) => `#${new URLSearchParams({ s: session, ...more })}`;
  return [
    { name: "01-sessions", hash: "#", steps: [shown("session-row")] },
    { name: "02-entry", hash: at(twice), steps: [shown("entry-tab")] },
    { name: "03-canvas", hash: at(branches, { view: "canvas" }), steps: [shown("canvas")], settle: 4_000 },
    { name: "04-outline-branches", hash: at(branches, { e: branchSummary }), steps: [shown("outline-row")] },
    { name: "05-errors-labels", hash: at(errors), steps: [shown("outline-row")] },
    { name: "06-context", hash: at(twice, { tab: "context" }), steps: [shown("context-item")] },
    {
      name: "07-context-difference",
      hash: at(twice, { tab: "context", against: own }),
      steps: [shown("context-diff")],
    },
    { name: "08-summary", hash: at(twice, { e: own, tab: "summary" }), steps: [shown("fact"), (page) => byId(page, "fact").first().click()] },
    { name: "09-rerun", hash: at(twice, { e: own, tab: "rerun" }), steps: [shown("planned-call")] },
    { name: "10-runs", hash: at(twice, { tab: "runs" }), steps: [shown("run-row")] },
    { name: "11-compare", hash: at(twice, { tab: "runs", compare: `entry:${own}~${run}` }), steps: [shown("compare-totals")] },
    { name: "12-search", hash: `#${new URLSearchParams({ s: twice, q: "error" })}`, steps: [shown("search-hit")] },
    { name: "13-palette", hash: at(twice), steps: [shown("outline-row"), key("Control+k"), shown("palette-input")] },
    { name: "14-shortcuts", hash: at(twice), steps: [shown("outline-row"), key("?")] },
    { name: "15-settings", hash: at(twice), steps: [shown("outline-row"), key("Control+,"), shown("provider-row")] },
  ];
}

/** What the screens show: found in the samples, so that they may change. */
async function subjects(server) {
  const sessions = await until("the samples in the index", async () => {
    const page = await rpc(server, "sessions", { query: "", limit: 50, offset: 0 });
    return page.sessions.length >= 4 && page.sessions;
  });
  const most = (field) => [...sessions].sort((a, b) => b[field] - a[field])[0].id;
  const twice = most("compactions");
  const branches = most("branch_summaries");
  const views = { twice: await rpc(server, "open", { session: twice }), branches: await rpc(server, "open", { session: branches }) };
  const own = views.twice.summaries.findLast((one) => one.kind === "compaction").entry_id;
  const branchSummary = views.branches.summaries.findLast((one) => one.kind === "branch_summary").entry_id;
  const made = await rpc(server, "compact", {
    session: twice,
    at: own,
    strategy: null,
    set: {},
    instructions: "Keep every file path and every number.",
    replace_prompt: false,
    provider: "offline",
  });
  const others = sessions.filter((one) => one.id !== twice && one.id !== branches);
  return { twice, branches, own, branchSummary, run: made.run_id, errors: others.at(-1).id };
}

const server = await serve();
let missed = 0;
try {
  const all = screens(await subjects(server));
  for (const dark of [false, true]) {
    for (const size of SIZES) {
      const window = await browser({ ...size, dark });
      const place = join(folder, `${dark ? "dark" : "light"}-${size.width}x${size.height}`);
      await mkdir(place, { recursive: true });
      for (const screen of all) {
        await window.page.goto("about:blank");
        await window.page.goto(`${server.url}${screen.hash}`);
        try {
          for (const step of screen.steps) await step(window.page);
          await window.page.waitForTimeout(screen.settle ?? 400);
        } catch (error) {
          missed += 1;
          console.error(`${screen.name}: ${error.message.split("\n")[0]}`);
        }
        const file = join(place, `${screen.name}.png`);
        await window.page.screenshot({ path: file });
        console.log(file);
      }
      for (const complaint of window.complaints) console.error(`in the page: ${complaint}`);
      await window.close();
    }
  }
} finally {
  await server.stop();
}
if (missed > 0) {
  console.error(`${missed} screens did not get where they should`);
  process.exit(1);
}
