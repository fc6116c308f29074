// What is done with a ledger: a summary is edited with facts put in and kept as a run, facts are
// collected into instructions, all compactions are followed, and the screen is exported and read
// with the network off.

import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, test } from "node:test";
import { pathToFileURL } from "node:url";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";
import { compacted } from "../lib/sample.mjs";

let server, window, page, session, folder;

before(async () => {
  server = await serve();
  window = await browser({ width: 1600, height: 900 });
  page = window.page;
  folder = await scratch("exports");
  session = await compacted(server);
  await page.goto(server.url);
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  await byId(page, "tab-summary").click();
  await byId(page, "ledger-totals").waitFor();
});

after(async () => {
  await window?.close();
  await server?.stop();
  await folder?.remove();
});

const settled = () => byId(page, "summary-editor", '[data-pending="false"]').waitFor();

test("a fact is put into the summary, and its ledger follows", async () => {
  await byId(page, "edit-this").click();
  await settled();
  const lost = byId(page, "lost-fact").first();
  const id = await lost.getAttribute("data-fact");
  const before = Number(await byId(page, "edit-lost").innerText());
  const words = (await lost.locator(".text").innerText()).trim();
  await lost.getByTestId("insert-fact").click();
  await until("the fact in the text", async () =>
    (await byId(page, "edit-text").inputValue()).includes(words.split("\n")[0].slice(0, 40)),
  );
  await settled();
  await until("the fact off the list", async () => {
    const still = await byId(page, "lost-fact", `[data-fact="${id}"]`).count();
    return still === 0 && Number(await byId(page, "edit-lost").innerText()) < before;
  });
});

test("the ledger follows what is typed", async () => {
  const text = await byId(page, "edit-text").inputValue();
  await byId(page, "edit-text").fill("Nothing.");
  await settled();
  assert.match(await byId(page, "edit-retention").innerText(), /^0\s?%/);
  await byId(page, "edit-text").fill(text);
  await settled();
});

test("the edited summary is kept as a run and opens", async () => {
  await byId(page, "edit-keep").click();
  await until("the run", async () => {
    const runs = await rpc(server, "runs", { session: session.id });
    return runs[0]?.strategy === "edited" && runs[0].edited.entry !== null;
  });
  await byId(page, "ledger-totals").waitFor();
  assert.doesNotMatch(await byId(page, "ledger-of").inputValue(), /^entry:/);
});

test("lost facts are collected into the instructions of Re-run", async () => {
  await byId(page, "ledger-of").selectOption({ index: 0 });
  await byId(page, "edit-this").click();
  await settled();
  await byId(page, "choose-fact").nth(0).check();
  await byId(page, "choose-fact").nth(1).check();
  await byId(page, "instruct-facts").click();
  await byId(page, "instructions").waitFor();
  const text = await byId(page, "instructions").inputValue();
  assert.match(text, /^The summary must contain these facts:\n- .+\n- .+/);
});

test("all compactions together show the life of each fact", async () => {
  await byId(page, "tab-summary").click();
  await byId(page, "ledger-of").selectOption("chain");
  await byId(page, "chain").waitFor();
  const view = await rpc(server, "chain", { session: session.id });
  assert.ok(view.compactions.length >= 2);
  assert.equal(await byId(page, "chain-column").count(), view.compactions.length);
  await byId(page, "chain-fact").first().locator("button").click();
  assert.match(await byId(page, "chain-life").innerText(), /Compaction \d+: /);
  await byId(page, "chain-only").selectOption("lost");
  await until("only lost facts", async () => {
    const lost = await rpc(server, "chain", {
      session: session.id,
      lost: true,
    });
    return (await byId(page, "chain").innerText()).includes(`${lost.total} fact`);
  });
  await byId(page, "chain-column").first().click();
  await byId(page, "ledger-totals").waitFor();
});

test("every figure stands one click away, with the lines that it counts", async () => {
  await byId(page, "figures-view").click();
  await byId(page, "figures").waitFor();
  const of = await byId(page, "ledger-of").inputValue();
  const { figures } = await rpc(server, "figures", { session: session.id, of });
  assert.equal(figures.length, 25);
  const measured = figures.filter((one) => one.absent === null);
  assert.equal(await byId(page, "figure").count(), measured.length);
  assert.equal(await byId(page, "figure-absent").count(), figures.length - measured.length);
  // The figure of the screen is that of the command.
  const recall = byId(page, "figure", '[data-code="D2"]');
  const own = figures.find((one) => one.code === "D2");
  await recall.getByTestId("figure-head").click();
  assert.ok((await recall.innerText()).includes(own.values[0].text));
  assert.equal(await recall.getByTestId("figure-definition").innerText(), own.definition);
  const line = recall.getByTestId("figure-fact").first();
  const words = (await line.innerText()).trim();
  await line.click();
  const row = page.locator('[data-testid="fact"][aria-pressed="true"]');
  await row.waitFor();
  assert.ok((await row.innerText()).includes(words));
});

test("each number of the cost shows its facts alone", async () => {
  const { sessions } = await rpc(server, "sessions", {
    query: "has:compaction",
    limit: 50,
    offset: 0,
  });
  let found = null;
  for (const one of sessions) {
    const { summaries } = await rpc(server, "open", { session: one.id });
    for (const { entry_id, kind } of summaries) {
      if (found !== null || kind !== "compaction") continue;
      const ledger = await rpc(server, "ledger", {
        session: one.id,
        compaction: entry_id,
      });
      if (ledger.costs.some((cost) => cost.tokens > 0)) found = { one, entry_id, ledger };
    }
  }
  assert.ok(found, "no sample has a dropped fact that was needed");
  await byId(page, "session-row", `[data-session="${found.one.id}"]`).click();
  await byId(page, "tab-summary").click();
  await byId(page, "ledger-of").selectOption(`entry:${found.entry_id}`);
  await byId(page, "cost-tokens").waitFor();
  const cost = found.ledger.costs[0];
  const link = byId(page, `cost-${cost.how}`);
  assert.match(await link.innerText(), new RegExp(`^${cost.fact_ids.length} `));
  await link.click();
  await byId(page, "filter-only").waitFor();
  const shown = byId(page, "fact");
  assert.equal(await shown.count(), cost.fact_ids.length);
  for (const id of cost.fact_ids)
    assert.equal(await page.locator(`[data-fact-row="${id}"]`).count(), 1);
  await byId(page, "filter-only").click();
  await until("all facts again", async () => (await shown.count()) >= cost.fact_ids.length);
  await byId(page, "cost-tokens").click();
  const all = new Set(found.ledger.costs.flatMap((one) => one.fact_ids));
  await until("the facts of all ways", async () => (await shown.count()) === all.size);
  await byId(page, "filter-only").click();
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  await byId(page, "tab-summary").click();
  await byId(page, "ledger-totals").waitFor();
});

test("the chain is exported in every form", async () => {
  for (const form of ["markdown", "html", "json"]) {
    const made = await rpc(server, "export", {
      session: session.id,
      what: "chain",
      form,
    });
    assert.ok(made.text.length > 200, form);
    assert.ok(!/<script/i.test(made.text));
  }
});

test("the export is one page that a browser reads with the network off", async () => {
  await byId(page, "export").last().click();
  await byId(page, "export-html").check();
  const download = page.waitForEvent("download");
  await byId(page, "export-save").click();
  const file = await download;
  const path = `${folder.dir}/${file.suggestedFilename()}`;
  await file.saveAs(path);
  assert.match(path, /palimpsest-ledger-.+\.html$/);
  const other = await browser();
  try {
    await other.page.context().setOffline(true);
    const asked = [];
    other.page.on("request", (request) => asked.push(request.url()));
    await other.page.goto(pathToFileURL(path).href);
    assert.match(await other.page.locator("h1").innerText(), /^Facts of the /);
    assert.ok((await other.page.locator("table tbody tr").count()) > 3);
    assert.ok((await other.page.locator("pre mark").count()) > 0);
    assert.deepEqual(
      asked.filter((url) => !url.startsWith("file:")),
      [],
    );
    assert.deepEqual(other.complaints, []);
  } finally {
    await other.close();
  }
});

test("hostile text of a session stays text in its export", async () => {
  const { text } = await rpc(server, "export", {
    session: session.id,
    what: "session",
    form: "html",
  });
  assert.ok(!/<script/i.test(text));
  const masked = await rpc(server, "export", {
    session: session.id,
    what: "handoff",
    form: "markdown",
    mask: true,
    out: folder.dir,
  });
  assert.equal(await readFile(masked.path, "utf8"), masked.text);
  assert.match(masked.text, /^# Hand-off/);
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
