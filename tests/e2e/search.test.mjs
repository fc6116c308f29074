// How one finds a place again: filters of the menu, the newest hits of a session, the order of the
// list, a title of one's own, and what was said of a word before and after a compaction.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";

const TITLE = "Zwieback: the ledger of the month";

let server, window, page, session;

const titles = () => byId(page, "session-row").locator(".title").allInnerTexts();
const ids = () =>
  byId(page, "session-row").evaluateAll((rows) => rows.map((row) => row.dataset.session));

before(async () => {
  server = await serve();
  window = await browser();
  page = window.page;
  session = await until("the samples in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "compactions:>1",
    });
    return sessions[0];
  });
  await page.goto(server.url);
  await byId(page, "session-row").first().waitFor();
});

after(async () => {
  await window?.close();
  await server?.stop();
});

test("everything in the menu is understood", async () => {
  await byId(page, "search-help").click();
  const buttons = byId(page, "search-filters").locator("dt button");
  await buttons.first().waitFor();
  const examples = await buttons.allInnerTexts();
  assert.ok(examples.length > 20, `${examples.length} filters`);
  for (const query of examples) {
    const { ignored } = await rpc(server, "sessions", { query });
    assert.deepEqual(ignored, [], query);
    const found = await rpc(server, "search", { query });
    assert.deepEqual(found.nothing_asked ? [] : found.ignored, [], query);
  }
  await byId(page, "search-help").click();
});

test("a filter of entries narrows the list and gives the newest hits of the session first", async () => {
  await byId(page, "search").fill("kind:user compactions:>1");
  await byId(page, "search-hit").nth(1).waitFor();
  await until("only the session with two compactions", async () => {
    const shown = await ids();
    return shown.length === 1 && shown[0] === session.id;
  });
  const hits = byId(page, "search-hit");
  const entries = await hits.evaluateAll((all) => all.map((hit) => hit.dataset.entry));
  const { nodes } = await rpc(server, "tree", { session: session.id });
  const places = entries.map((entry) => nodes.findIndex((node) => node.id === entry));
  assert.deepEqual(
    places,
    [...places].sort((a, b) => b - a),
  );
  assert.equal(await byId(page, "hits-order").innerText(), "Newest first");
  await hits.first().click();
  await byId(page, "entry-tab", `[data-entry="${entries[0]}"]`).waitFor();
});

test("a word that makes no filter is named", async () => {
  await byId(page, "search").fill("colour:red");
  await byId(page, "search-ignored").waitFor();
  assert.match(await byId(page, "search-ignored").innerText(), /colour:red/);
  await byId(page, "search-clear").click();
});

test("the list is sorted by compactions and by title", async () => {
  await byId(page, "sort").selectOption("compactions");
  await until("the session with most compactions first", async () => {
    return (await ids())[0] === session.id;
  });
  assert.equal(await byId(page, "project-row").count(), 0);
  await byId(page, "sort").selectOption("title");
  await until("titles from A to Z", async () => {
    const shown = await titles();
    const sorted = [...shown].sort((a, b) => (a.toLowerCase() < b.toLowerCase() ? -1 : 1));
    return JSON.stringify(shown) === JSON.stringify(sorted);
  });
  await byId(page, "sort").selectOption("updated");
  await byId(page, "project-row").first().waitFor();
});

test("a session is renamed, found by its new title, and gets its own one back", async () => {
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  await byId(page, "rename").click();
  await byId(page, "rename-input").fill(TITLE);
  await page.keyboard.press("Enter");
  await until("the new title in the list", async () => (await titles()).includes(TITLE));
  await byId(page, "search").fill("zwieback");
  await until("the renamed session alone", async () => {
    return JSON.stringify(await titles()) === JSON.stringify([TITLE]);
  });
  await byId(page, "search-clear").click();
  await byId(page, "rename").click();
  await byId(page, "rename-input").fill("");
  await page.keyboard.press("Enter");
  await until("the own title in the list", async () => (await titles()).includes(session.title));
});

test("a search in the session parts what was said before and after the compaction", async () => {
  await page.keyboard.press("Control+f");
  await byId(page, "find-input").fill("kind:user");
  await byId(page, "find-before").waitFor();
  const found = await rpc(server, "find", {
    session: session.id,
    query: "kind:user",
  });
  assert.ok(found.compaction);
  assert.ok(found.before.total > 0, "user messages before the compaction");
  for (const column of ["before", "summaries", "after"]) {
    const total = await byId(page, `find-${column}`).getAttribute("data-total");
    assert.equal(Number(total), found[column].total, column);
  }
  const hit = byId(page, "find-before").locator('[data-testid="find-hit"]').first();
  const entry = await hit.getAttribute("data-entry");
  await hit.click();
  await byId(page, "entry-tab", `[data-entry="${entry}"]`).waitFor();
  await page.reload();
  assert.equal(await byId(page, "find-input").inputValue(), "kind:user");
  await byId(page, "find-close").click();
  await byId(page, "outline").waitFor();
});

test("a pasted id finds its session, and its entry first of all", async () => {
  // As a list shows it, with what is left out.
  await byId(page, "search").fill(`${session.id.slice(0, 9)}…`);
  await until("the session alone", async () => {
    return JSON.stringify(await ids()) === JSON.stringify([session.id]);
  });
  const { nodes } = await rpc(server, "tree", { session: session.id });
  const { id } = nodes.findLast((node) => node.kind === "message" && /\d/.test(node.id));
  await byId(page, "search").fill(id);
  await until("its entry first", async () => {
    const hits = byId(page, "search-hit");
    return (await hits.count()) > 0 && (await hits.first().getAttribute("data-entry")) === id;
  });
  await byId(page, "search-clear").click();
});

test("the foot of the list says how many entries were found in all", async () => {
  const { total } = await rpc(server, "search", {
    query: "kind:assistant",
    limit: 60,
  });
  assert.ok(total > 60, `${total} replies in the samples`);
  await byId(page, "search").fill("kind:assistant");
  const foot = byId(page, "session-count");
  await until("the number of all", async () =>
    (await foot.innerText()).includes(`${total} entries found, 60 listed`),
  );
  await byId(page, "search-clear").click();
});

test("a misspelled word is answered with the one of the index, and a click takes it", async () => {
  const { hits } = await rpc(server, "search", { query: "kind:user" });
  const words = hits.flatMap(
    ({ snippet }) => snippet.toLowerCase().match(/\b[a-z]{8,12}\b/g) ?? [],
  );
  // With two letters swapped in the middle, where that is no word of the samples.
  const swapped = (word) => word.slice(0, 3) + word[4] + word[3] + word.slice(5);
  let typed, meant;
  for (const word of words) {
    const { total } = await rpc(server, "search", { query: swapped(word) });
    if (total !== 0) continue;
    [typed, meant] = [swapped(word), word];
    break;
  }
  assert.ok(typed, "a word to misspell");
  await byId(page, "search").fill(typed);
  const change = byId(page, "wider").locator("button", { hasText: meant }).first();
  await change.click();
  await byId(page, "search-hit").first().waitFor();
  assert.match(await byId(page, "search").inputValue(), new RegExp(meant));
  await byId(page, "search-clear").click();
});

test("a session is found by its id, and its hits alone with session:", async () => {
  const short = session.shown_id.replace("…", "");
  await byId(page, "search").fill(`kind:user session:${short}`);
  await until("hits of the session alone", async () => {
    const hits = byId(page, "search-hit");
    const all = await hits.evaluateAll((lines) => lines.map((line) => line.dataset.session));
    return all.length > 0 && all.every((id) => id === session.id);
  });
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  assert.equal(await byId(page, "session-id").innerText(), session.shown_id);
  await byId(page, "search-clear").click();
});

test("the palette finds words, not scattered letters", async () => {
  await page.keyboard.press("Control+k");
  await byId(page, "palette-input").fill("preferences");
  assert.match(await byId(page, "palette-line").first().innerText(), /Settings/);
  await byId(page, "palette-input").fill("rntm");
  assert.equal(await byId(page, "palette-line").count(), 1);
  assert.match(await byId(page, "palette-line").innerText(), /Search the text .* “rntm”/);
  await page.keyboard.press("Escape");
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
