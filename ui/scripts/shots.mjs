// Takes pictures of every screen, light and dark, in three sizes; SIZE (narrow, small, large) and
// THEME choose one.
//
//   node scripts/shots.mjs BASE_URL OUT_DIR [NAME...]
//
// BASE_URL is the address `palimpsest serve` printed (token included), or that of
// `VITE_HOST=fake npm run preview`. Without NAMEs every screen is taken. A browser is looked
// for in CHROMIUM, else /usr/bin/chromium. PALIMPSEST_PAGE names a folder with a page that is not
// built into the program.
import { mkdirSync } from "node:fs";
import { chromium } from "playwright-core";
import { replacePage } from "../../tests/lib/browser.mjs";

const [base, out, ...names] = process.argv.slice(2);
if (!base || !out) {
  console.error("usage: node scripts/shots.mjs BASE_URL OUT_DIR [NAME...]");
  process.exit(2);
}
mkdirSync(out, { recursive: true });

const KNOWN = { narrow: [900, 700], small: [1280, 800], large: [1920, 1080] };
const SIZES = process.env.SIZE ? [KNOWN[process.env.SIZE]] : Object.values(KNOWN);
const THEMES = process.env.THEME ? [process.env.THEME] : ["light", "dark"];
const pause = (ms) => new Promise((done) => setTimeout(done, ms));

/** Each screen: what is done in the open window before the picture. */
const SCREENS = {
  start: async () => {},
  entry: async (page) => openSession(page),
  compaction: async (page) => {
    await openSession(page);
    await toCompaction(page);
  },
  agents: async (page) => {
    await openOther(page);
    await page.selectOption("[data-testid=filter]", "all");
  },
  breakdown: async (page) => {
    await openOther(page);
    await page.keyboard.press("2");
  },
  policies: async (page) => {
    await openSession(page);
    await page.click("[data-testid=policies-button]");
    await page.waitForSelector("[data-testid=policy-row]");
    for (const name of ["codex", "coder", "gemini-cli"])
      await page.locator(`[data-testid=policy-row][data-policy=${name}] input`).check();
    await page.waitForSelector("[data-testid=policy-lanes]");
  },
  lanes: async (page) => {
    await SCREENS.policies(page);
    await page.keyboard.press("Escape");
  },
  context: async (page) => {
    await openSession(page);
    await page.keyboard.press("2");
  },
  summary: async (page) => {
    await openSession(page);
    await toCompaction(page);
    await page.keyboard.press("3");
    await page.waitForSelector("[data-testid=fact]");
    await page.locator("[data-testid=fact]").last().click();
  },
  navigate: async (page) => {
    await openSession(page);
    await page.locator("[data-testid=outline] [role=treeitem]").nth(3).click();
    await page.keyboard.press("6");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
  },
  "navigate-own": async (page) => {
    await SCREENS.navigate(page);
    await page.check("[data-testid=take-own]");
    await page.fill("[data-testid=instructions]", "Only what was learned about the broker.");
    await page.locator("[data-testid=leave-form]").evaluate((form) => form.scrollIntoView());
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
  },
  "navigate-result": async (page) => {
    await SCREENS.navigate(page);
    await page.click("[data-testid=run-button]");
    await page.waitForSelector("[data-testid=run-result][data-status=done]");
  },
  rerun: async (page) => {
    await openSession(page);
    await toCompaction(page);
    await page.keyboard.press("4");
    await page.waitForSelector("[data-testid=plan]");
  },
  stages: async (page) => {
    await SCREENS.rerun(page);
    for (const stage of ["select", "reduce", "summarize"])
      await page.click(`[data-testid=stage-${stage}-toggle]`);
  },
  presets: async (page) => {
    await SCREENS.rerun(page);
    await page.click("[data-testid=strategy]");
    await page.keyboard.type("claude");
  },
  tray: async (page) => {
    await SCREENS.rerun(page);
    await page.click("[data-testid=strategy]");
    for (const name of ["gemini-cli", "goose"])
      await page
        .locator(
          `[data-testid=strategy-option][data-strategy="${name}"] [data-testid=strategy-tick]`,
        )
        .click();
    await page.keyboard.press("Escape");
    await page.waitForSelector("[data-testid=tray]");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
  },
  "tray-five": async (page) => {
    await SCREENS.rerun(page);
    await page.click("[data-testid=strategy]");
    await page.waitForSelector("[data-testid=strategy-option]");
    const rest = page.locator(
      "[data-testid=strategy-option] [data-testid=strategy-tick]:not(:checked)",
    );
    for (let n = 0; n < 4 && (await rest.count()) > 0; n += 1) await rest.first().click();
    await page.keyboard.press("Escape");
    await page.waitForSelector("[data-testid=tray]");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
  },
  lent: async (page) => {
    await SCREENS.rerun(page);
    await page.selectOption("[data-testid='kind-summarize.method']", "slices");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
    await page.click("[data-testid=stage-summarize-toggle]");
    await page.locator("[data-testid='param-prompts.slice']").scrollIntoViewIfNeeded();
  },
  refused: async (page) => {
    await SCREENS.rerun(page);
    await page.click("[data-testid=stage-summarize-toggle]");
    await page.fill("[data-testid='param-prompts.first']", "Summarize this for the next agent.");
    await page.waitForSelector("[data-testid='flaw-prompts.first']");
    await page.locator("[data-testid='param-prompts.first']").scrollIntoViewIfNeeded();
  },
  calls: async (page) => {
    await SCREENS.tray(page);
    await page.locator("[data-testid=tray-edit]").last().click();
    await pause(300);
    await page.click("[data-testid=offline-prompts]");
    await page.locator("[data-testid=planned-call]").last().scrollIntoViewIfNeeded();
    await page.locator("[data-testid=show-prompt]").last().click();
    await pause(300);
    await page.locator("[data-testid=next-request]").scrollIntoViewIfNeeded();
  },
  cut: async (page) => {
    await SCREENS.rerun(page);
    await page.focus("[data-testid=cut-handle]");
    for (let n = 0; n < 4; n += 1) await page.keyboard.press("ArrowLeft");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
  },
  prompts: async (page) => {
    await SCREENS.rerun(page);
    await page.click("[data-testid=part-prompts]");
    await page.waitForSelector("[data-testid=prompt-panel]");
    const field = page.locator("[data-testid=prompt-edit]");
    await field.fill(`${await field.inputValue()}\nName every port.`);
    await page.locator("[data-testid=version-diff]").first().click();
    await page.waitForSelector("[data-testid=text-diff]");
  },
  side: async (page) => {
    await SCREENS.tray(page);
    await page.click("[data-testid=run-button]");
    await page.waitForSelector("[data-testid=compare-done]:not(:disabled)", { timeout: 60_000 });
  },
  compared: async (page) => {
    await SCREENS.side(page);
    await page.click("[data-testid=compare-done]");
    await page.waitForSelector("[data-testid=compare-totals]");
  },
  running: async (page) => {
    await SCREENS.rerun(page);
    await page.fill("[data-testid=instructions]", "Name every file that was edited.");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
    await pause(400);
    await page.click("[data-testid=run-button]");
    await pause(500);
  },
  result: async (page) => {
    await SCREENS.running(page);
    await page.waitForSelector("[data-testid=open-ledger]", { timeout: 20_000 });
  },
  runs: async (page) => {
    await openSession(page);
    await page.keyboard.press("5");
    await page.waitForSelector("[data-testid=runs-tab]");
  },
  compare: async (page) => {
    await SCREENS.result(page);
    await page.click("[data-testid=compare-own]");
    await page.waitForSelector("[data-testid=compare-totals]");
  },
  texts: async (page) => {
    await SCREENS.compare(page);
    await page.click("[data-testid=compare-texts]");
  },
  search: async (page) => {
    await openSession(page);
    await page.fill("[data-testid=search]", "drain");
    await pause(300);
  },
  canvas: async (page) => {
    await openSession(page);
    await page.keyboard.press("v");
    await page.waitForSelector("[data-testid=canvas]:not([data-state=loading])");
    await pause(1_500);
  },
  "canvas-turns": async (page) => {
    await SCREENS.canvas(page);
    await page.click("[data-testid=canvas-middle]");
    await pause(1_000);
  },
  "canvas-entries": async (page) => {
    await SCREENS.canvas(page);
    await page.click("[data-testid=canvas-near]");
    await page.click("[data-testid=canvas-legend-button]");
    await pause(1_000);
  },
  "row-menu": async (page) => {
    await openSession(page);
    await page.keyboard.press("4");
    await page.waitForSelector("[data-testid=plan]");
    await page.locator("[data-testid=outline-row]").nth(6).click({ button: "right" });
    await page.waitForSelector("[data-testid=row-menu]");
  },
  marked: async (page) => {
    await SCREENS["row-menu"](page);
    await page.click("[data-testid=row-mark]");
    await page.locator("[data-testid=outline-row]").nth(9).click({ button: "right" });
    await page.click("[data-testid=row-mark]");
    await page.click("[data-testid=stage-summarize-toggle]");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
  },
  "canvas-plan": async (page) => {
    await SCREENS.rerun(page);
    await page.keyboard.press("v");
    await page.waitForSelector("[data-testid=canvas][data-grip]");
    await pause(1_500);
  },
  "canvas-cleared": async (page) => {
    await SCREENS.rerun(page);
    await page.click("[data-testid=stage-reduce-toggle]");
    await page.selectOption("[data-testid=step-add]", "clear_thinking");
    await page.selectOption("[data-testid=step-add]", "cap_tool_results");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
    await page.keyboard.press("v");
    await page.waitForSelector("[data-testid=canvas][data-grip]");
    await pause(1_500);
  },
  "canvas-left": async (page) => {
    await SCREENS.navigate(page);
    await page.click("[data-testid=view-canvas]");
    await page.selectOption("[data-testid=filter]", "all");
    await page.waitForSelector("[data-testid=canvas]:not([data-state=loading])");
    await pause(1_500);
  },
  palette: async (page) => {
    await openSession(page);
    await page.keyboard.press("Control+k");
    await page.keyboard.type("co");
  },
  shortcuts: async (page) => {
    await openSession(page);
    await page.keyboard.press("?");
  },
  settings: async (page) => page.click("[data-testid=open-settings]"),
  providers: async (page) => {
    await SCREENS.settings(page);
    await page.locator("[data-testid=provider-add]").scrollIntoViewIfNeeded();
    await page.click("[data-testid=provider-add]");
    await page.locator("[data-testid=provider-form]").scrollIntoViewIfNeeded();
  },
  hits: async (page) => {
    await page.fill("[data-testid=search]", "kind:error");
    await page.waitForSelector("[data-testid=search-hit]");
  },
  figures: async (page) => {
    await SCREENS.summary(page);
    await page.click("[data-testid=figures-view]");
    await page.waitForSelector("[data-testid=figure-head]");
    await page.locator("[data-testid=figure-head]").nth(1).click();
  },
  previous: async (page) => {
    await openSession(page);
    await toCompaction(page);
    await page.keyboard.press("3");
    await page.waitForSelector("[data-testid=fact]");
    await page.click("[data-testid=previous-diff]");
  },
  chain: async (page) => {
    await SCREENS.summary(page);
    await page.selectOption("[data-testid=ledger-of]", "chain");
    await page.waitForSelector("[data-testid=chain-fact]");
    await page.locator("[data-testid=chain-fact] button").nth(1).click();
  },
  "edit-summary": async (page) => {
    await SCREENS.summary(page);
    await page.click("[data-testid=edit-this]");
    await page.waitForSelector("[data-testid=lost-fact]");
  },
  write: async (page) => {
    await SCREENS.summary(page);
    await page.click("[data-testid=write-open]");
    await page.waitForSelector("[data-testid=write-box]");
  },
  "put-back": async (page) => {
    await SCREENS.summary(page);
    await page.click("[data-testid=put-back]");
    await page.waitForSelector("[data-testid=put-back-text]");
  },
  find: async (page) => {
    await openSession(page);
    await page.click("[data-testid=find-open]");
    await page.fill("[data-testid=find-input]", "import");
    await page.waitForSelector("[data-testid=find-hit]");
  },
  notes: async (page) => {
    await openSession(page);
    await page.click("[data-testid=marks-chip]");
    await page.click("[data-testid=note-add-entry]");
    await page.fill("[data-testid=note-field]", "The cause is the batch size.");
  },
  export: async (page) => {
    await openSession(page);
    await page.locator("[data-testid=export]").first().click();
    await page.waitForSelector("[data-testid=export-dialog]");
  },
  spending: async (page) => {
    await openSession(page);
    await page.click("[data-testid=cost-chip]");
    await page.waitForSelector("[data-testid=spending]");
  },
  branches: async (page) => {
    await page.waitForSelector("[data-testid=session-row]");
    await page.locator("[data-testid=session-row]:has(.bridge)").first().click();
    await page.waitForSelector("[data-testid=outline-row]");
    await page.keyboard.press("6");
    await page.waitForSelector("[data-testid=branch]");
    await page.locator("[data-testid=branches]").scrollIntoViewIfNeeded();
  },
  "branch-compare": async (page) => {
    await SCREENS.branches(page);
    await page.locator("[data-testid=branch-compare]").first().click();
    await page.waitForSelector("[data-testid=branch-compared]");
  },
  count: async (page) => {
    await page.fill("[data-testid=search]", "kind:error");
    await page.waitForSelector("[data-testid=search-hit]");
    await page.selectOption("[data-testid=count-by]", "tool");
    await page.waitForSelector("[data-testid=count-row]");
  },
  "no-hits": async (page) => {
    await page.fill("[data-testid=search]", "zzzz nothing");
    await page.waitForSelector("[data-testid=nothing-found]");
  },
  "wrong-filter": async (page) => page.fill("[data-testid=search]", "kind:nothing drain"),
  "search-filters": async (page) => {
    await page.click("[data-testid=search-filters]");
    await page.waitForSelector("[data-testid=search-help]");
  },
  "no-summary": async (page) => {
    await page.waitForSelector("[data-testid=session-row]");
    await page.locator("[data-testid=session-row]:not(:has(.fold))").first().click();
    await page.waitForSelector("[data-testid=outline-row]");
    await page.keyboard.press("3");
    await page.waitForSelector("[data-testid=summary-tab]");
  },
  "no-session": async (page) => {
    await page.evaluate(() => (location.hash = "#s=0000000000000000"));
    await page.waitForSelector("[data-testid=error-note]");
  },
  "lab-empty": async (page) => {
    await page.click("[data-testid=open-lab]");
    await page.waitForSelector("[data-testid=lab]");
  },
  judge: async (page) => {
    await SCREENS.summary(page);
    await page.click("[data-testid=judge-open]");
    await page.waitForSelector("[data-testid=judge-provider]");
  },
  cost: async (page) => {
    await SCREENS.settings(page);
    await page.fill("[data-testid=cost-limit]", "0.00001");
    await page.click("[data-testid=cost-limit-save]");
    await page.keyboard.press("Escape");
    await SCREENS.rerun(page);
    await page.selectOption("[data-testid=provider]", "anthropic");
    await page.fill("[data-testid=model]", "claude-haiku-4-5");
    await page.waitForSelector("[data-testid=plan][data-fresh=true]");
    await page.click("[data-testid=run-button]");
    await page.waitForSelector("[data-testid=cost-dialog]");
  },
  "lab-sets": async (page) => {
    await page.fill("[data-testid=search]", "has:compaction");
    await page.click("[data-testid=use-as-cuts]");
    await page.click("[data-testid=set-find]");
    await page.waitForSelector("[data-testid=cut-row]");
    await page.fill("[data-testid=set-name]", "compactions");
  },
  "lab-new": async (page) => {
    await SCREENS["lab-sets"](page);
    await page.click("[data-testid=set-save]");
    await page.locator("[data-testid=set-card]", { hasText: "compactions" }).waitFor();
    await page.locator("[data-testid=set-use]").first().click();
    await page.fill("[data-testid=lab-name]", "a longer tail");
    await page.click("[data-testid=row-add]");
    await page.fill("[data-testid=param-keep_recent_tokens]", "1000");
    await page.click("[data-testid=lab-price-button]");
    await page.waitForSelector("[data-testid=lab-price]");
  },
  lab: async (page) => {
    await SCREENS["lab-new"](page);
    await page.click("[data-testid=lab-start]");
    await page.waitForSelector("[data-testid=experiment][data-state=complete]", {
      timeout: 60_000,
    });
  },
};

async function openSession(page) {
  // The session with the most to show: one that was compacted, where there is one.
  await page.waitForSelector("[data-testid=session-row]");
  const compacted = page.locator("[data-testid=session-row]:has(.fold)");
  const rows =
    (await compacted.count()) > 0 ? compacted : page.locator("[data-testid=session-row]");
  await rows.first().click();
  await page.waitForSelector("[data-testid=outline-row]");
  await pause(250);
}
/** A session of another agent than pi, where there is one. */
async function openOther(page) {
  await page.waitForSelector("[data-testid=session-row]");
  const other = page.locator(
    "[data-testid=session-row]:has([data-testid=agent-chip]:not(:text-matches('^pi')))",
  );
  const rows = (await other.count()) > 0 ? other : page.locator("[data-testid=session-row]");
  await rows.first().click();
  await page.waitForSelector("[data-testid=outline-row]");
  await pause(250);
}
async function toCompaction(page) {
  await page.keyboard.press("[");
  await pause(200);
}

const browser = await chromium.launch({
  executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
  args: [
    "--no-sandbox",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-unsafe-swiftshader",
  ],
});
let failed = 0;
for (const [width, height] of SIZES) {
  for (const theme of THEMES) {
    for (const [name, prepare] of Object.entries(SCREENS)) {
      if (names.length > 0 && !names.includes(name)) continue;
      const context = await browser.newContext({
        viewport: { width, height },
        colorScheme: theme,
        reducedMotion: "reduce",
      });
      await replacePage(context);
      const page = await context.newPage();
      page.setDefaultTimeout(10_000);
      page.on("pageerror", (error) => console.error(`${name}: ${error.message}`));
      page.on(
        "console",
        (message) => message.type() === "error" && console.error(`${name}: ${message.text()}`),
      );
      const file = `${out}/${name}-${theme}-${width}.png`;
      try {
        // A place in the address keeps the window from going back to where it was last.
        await page.goto(`${base}#tab=entry`);
        await page.waitForSelector("[data-testid=window][data-ready=true]");
        await prepare(page);
        await pause(350);
      } catch (error) {
        failed += 1;
        console.error(`${name}: ${error.message.split("\n")[0]}`);
      }
      await page.screenshot({ path: file });
      await context.close();
    }
  }
}
await browser.close();
process.exit(failed > 0 ? 1 : 0);
