// Every tab fits the window, light and dark, at the three widths that people use.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve } from "../lib/program.mjs";
import { compacted } from "../lib/sample.mjs";

const TABS = {
  entry: "entry-tab",
  context: "gauge",
  summary: "first-words",
  rerun: "plan",
  runs: "baseline-row",
  navigate: "navigate-tab",
};
const SIZES = [
  [900, 700],
  [1280, 800],
  [1920, 1080],
];

let server, session, compaction;

before(async () => {
  server = await serve();
  session = await compacted(server);
  const view = await rpc(server, "open", { session: session.id });
  compaction = view.summaries.findLast((summary) => summary.kind === "compaction").entry_id;
});

after(() => server?.stop());

/** What reaches over the right edge of its pane, by test id or class; scrolled boxes may. */
const over = (page) =>
  page.evaluate(() => {
    const names = [];
    for (const pane of document.querySelectorAll("[data-testid^=pane-], [data-testid=inspector]")) {
      const edge = pane.getBoundingClientRect().right + 1;
      for (const element of pane.querySelectorAll(
        "button, select, input, textarea, p, h3, li, dt",
      )) {
        const box = element.getBoundingClientRect();
        if (box.width === 0 || box.right <= edge) continue;
        // What a box around it cuts off or scrolls is not drawn over the edge.
        let around = element.parentElement;
        while (around !== pane && getComputedStyle(around).overflowX === "visible")
          around = around.parentElement;
        if (around === pane) names.push(element.dataset.testid ?? element.textContent.slice(0, 40));
      }
    }
    return names;
  });

for (const [width, height] of SIZES) {
  for (const dark of [false, true]) {
    test(`${width} wide, ${dark ? "dark" : "light"}`, async () => {
      const window = await browser({ width, height, dark });
      try {
        const { page } = window;
        await page.goto(`${server.url}#s=${session.id}&e=${compaction}`);
        for (const [tab, testid] of Object.entries(TABS)) {
          await page.evaluate(
            ([s, e, t]) => (location.hash = `#s=${s}&e=${e}&tab=${t}`),
            [session.id, compaction, tab],
          );
          await byId(page, testid).first().waitFor();
          assert.equal(
            await page.evaluate(() => document.documentElement.scrollWidth > innerWidth),
            false,
            `${tab} makes the window scroll sideways`,
          );
          assert.deepEqual(await over(page), [], `${tab} reaches over the edge of its pane`);
        }
        assert.equal(
          await byId(page, "window").getAttribute("data-theme"),
          dark ? "dark" : "light",
        );
        assert.deepEqual(window.complaints, []);
      } finally {
        await window.close();
      }
    });
  }
}
