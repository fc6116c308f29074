// What a user does with a session, the same for every agent that is read: find it in the list, read
// its tree, the context at its end and the ledger of its compaction, re-run that offline and compare.

import assert from "node:assert/strict";
import { join } from "node:path";
import { after, before, describe, test } from "node:test";

import { AGENTS, CHATS, fill, NO_OVERRIDES } from "../lib/agents.mjs";
import { browser, byId } from "../lib/browser.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";

/** Where the agent's strategy keeps more than its short session holds: settings that keep nothing. */
const SETTINGS = { "factory-droid": [["select", "drain_tokens", "0"]] };

let home, server, window, page;

before(async () => {
  home = await scratch("agents");
  await fill(home.dir);
  server = await serve({
    samples: false,
    env: { ...NO_OVERRIDES, HOME: home.dir },
  });
  await rpc(server, "settings_set", { roots: [join(home.dir, CHATS)] });
  await until("sessions of all agents", async () => {
    const agents = new Set((await listed("")).map((session) => session.agent));
    return agents.size === Object.keys(AGENTS).length;
  });
  window = await browser();
  page = window.page;
  await page.goto(server.url);
});

after(async () => {
  await window?.close();
  await server?.stop();
  await home?.remove();
});

/** The sessions that a search lists. */
async function listed(query) {
  return (await rpc(server, "sessions", { query, limit: 100, offset: 0 })).sessions;
}

for (const agent of Object.keys(AGENTS))
  describe(agent, () => {
    let session, compaction;

    test("is found in the list", async () => {
      [session] = await listed(`agent:${agent} has:compaction`);
      assert.ok(session, "no session with a compaction");
      await byId(page, "search").fill(`agent:${agent}`);
      await byId(page, "session-row", `[data-session="${session.id}"]`).click();
      await until("its title", async () =>
        (await byId(page, "session-title").innerText()).includes(session.title),
      );
    });

    test("has a tree with its first compaction", async () => {
      await byId(page, "outline-row", "[aria-selected=true]").waitFor();
      const view = await rpc(server, "open", { session: session.id });
      compaction = view.summaries.find((summary) => summary.kind === "compaction").entry_id;
      const rows = await byId(page, "outline-row").count();
      assert.ok(rows > 2, `${rows} rows`);
    });

    test("has a context whose items have sizes", async () => {
      await byId(page, "tab-context").click();
      await byId(page, "context-item").first().waitFor();
      await byId(page, "gauge").waitFor();
      assert.match(await byId(page, "gauge-used").innerText(), /[1-9]/);
    });

    test("has a ledger of the compaction, both sides with text", async () => {
      await byId(page, "outline").focus();
      const selected = byId(page, "outline-row", '[data-kind="compaction"][aria-selected="true"]');
      // Each press leads to the compaction before; the first is as far as they go.
      await until("the compaction to be selected", async () => {
        await page.keyboard.press("[");
        await selected.waitFor();
        return (await selected.getAttribute("data-entry")) === compaction;
      });
      await byId(page, "tab-summary").click();
      await byId(page, "ledger-totals").waitFor();
      assert.equal(await byId(page, "ledger-of").inputValue(), `entry:${compaction}`);
      await byId(page, "fact").first().waitFor();
      assert.notEqual((await byId(page, "ledger-summary").innerText()).trim(), "");
      await byId(page, "source-item").first().waitFor();
    });

    test("is re-run offline with the agent's strategy", async () => {
      await byId(page, "rerun-this").click();
      await byId(page, "strategy").click();
      await byId(page, "strategy-search").fill(agent);
      await byId(page, "strategy-choose", `[data-row="${agent}"]`).click();
      await byId(page, "strategy", `[data-value="${agent}"]`).waitFor();
      for (const [stage, name, value] of SETTINGS[agent] ?? []) {
        await byId(page, `stage-${stage}-toggle`).click();
        await byId(page, `param-${name}`).fill(value);
      }
      await byId(page, "plan", '[data-fresh="true"]').waitFor();
      assert.notEqual(await byId(page, "plan").getAttribute("data-kind"), "nothing");
      await byId(page, "run-button").click();
      await byId(page, "run-result", '[data-status="done"]').waitFor({
        timeout: 60_000,
      });
      assert.notEqual((await byId(page, "run-text").innerText()).trim(), "");
      const runs = await rpc(server, "runs", { session: session.id });
      assert.deepEqual(
        runs.map((run) => run.status),
        ["done"],
      );
    });

    test("is compared with the recorded summary", async () => {
      await byId(page, "compare-own").click();
      await byId(page, "compare-totals").waitFor();
      assert.equal(await byId(page, "compare-totals").locator("thead th").count(), 2);
    });
  });

test("every session in the home folder is listed once", async () => {
  const ids = (await listed("")).map((session) => `${session.agent} ${session.id}`);
  assert.equal(new Set(ids).size, ids.length);
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
