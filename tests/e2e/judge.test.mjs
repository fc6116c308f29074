// A model is asked about a summary: the price stands before the button, the answer is checked, the
// facts stand in the ledger, and the judgement is replayed.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";
import { provider } from "../lib/provider.mjs";
import { compacted } from "../lib/sample.mjs";

let server, window, page, session, model;

/** A fact with the first words of the first entry of the agent, and one that nothing bears out. */
function facts({ body }) {
  const prompt = body.messages.at(-1).content;
  const found = /<entry id="(e\d+)" by="agent">\n([^\n<]{20,120})/.exec(prompt);
  const [, entry, words] = found;
  return JSON.stringify({
    facts: [
      {
        kind: "finding",
        text: "Quietly, this turned out.",
        entries: [entry],
        quote: words,
      },
      {
        kind: "finding",
        text: "It is slow.",
        entries: [entry],
        quote: "never said by anybody",
      },
    ],
  });
}

/** The first statement with the first words of an entry as its quote, the others with an invented one;
 * every fact is dropped but the first, whose quote is a line of the summary. */
function claims(prompt) {
  if (prompt.includes("<context>")) {
    const [, summary] = /<summary>\n([^]*)\n<\/summary>/.exec(prompt);
    const words = summary.split("\n").find((line) => line.length > 11);
    const ids = [...prompt.matchAll(/^f(\d+) \(/gm)].map((match) => `f${match[1]}`);
    return JSON.stringify({
      facts: ids.map((fact, n) =>
        n === 0 ? { fact, verdict: "kept", quote: words } : { fact, verdict: "dropped", quote: "" },
      ),
    });
  }
  const [, entry, words] = /<entry id="(e\d+)" [^>]*>\n[^<]*?([^\n<]{12,120})/.exec(prompt);
  const ids = [...prompt.matchAll(/^c(\d+): /gm)].map((match) => `c${match[1]}`);
  return JSON.stringify({
    verdicts: ids.map((claim, n) => ({
      claim,
      verdict: "contradicted",
      entries: [entry],
      quote: n === 0 ? words : "never said by anybody",
    })),
  });
}

function answer(seen) {
  const prompt = seen.body.messages.at(-1).content;
  return prompt.includes("<statements>") ? claims(prompt) : facts(seen);
}

before(async () => {
  server = await serve();
  model = await provider(answer);
  window = await browser({ width: 1280, height: 900 });
  page = window.page;
  session = await compacted(server);
  await rpc(server, "provider_save", {
    name: "judge",
    kind: "openai",
    base_url: model.url,
    key_env: null,
    models: ["scripted-ok"],
    command: [],
    limits: {},
  });
  await page.goto(server.url);
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  await byId(page, "tab-summary").click();
  await byId(page, "ledger-totals").waitFor();
});

after(async () => {
  await window?.close();
  await server?.stop();
  await model?.stop();
});

test("nothing is sent before the button, and the price stands there", async () => {
  await byId(page, "judge-open").click();
  await byId(page, "judge-provider").selectOption("judge");
  await byId(page, "judge-price").waitFor();
  assert.match(await byId(page, "judge-price").innerText(), /\d+ calls?, about .+ price unknown/);
  assert.equal(model.requests.length, 0);
});

test("the answer is checked, and what is left stands in the ledger", async () => {
  await byId(page, "judge-ask").click();
  await byId(page, "judgement-details").waitFor();
  const result = await byId(page, "judgement-result").innerText();
  assert.match(result, /^\d+ facts?, \d+ rejected$/);
  assert.ok((await byId(page, "judgement-details").innerText()).includes("It is slow."));
  const of = await byId(page, "ledger-of").inputValue();
  const ledger = await rpc(server, "ledger", {
    session: session.id,
    compaction: of.slice(6),
  });
  const own = ledger.facts.filter((fact) => fact.found_by);
  assert.ok(own.length > 0, "a fact of the model");
  // What rules found as well may stand in the fold of all other facts; where none is put first there is no fold.
  const fold = byId(page, "facts-rest");
  if ((await fold.count()) > 0) {
    assert.equal(await fold.getAttribute("aria-expanded"), "false");
    await fold.click();
  }
  await until("the mark in the window", async () =>
    (await byId(page, "fact-note").allInnerTexts()).some((note) => note.includes("by model")),
  );
  const [judgement] = await rpc(server, "judgements", { session: session.id });
  const replayed = await rpc(server, "replay", { run: judgement.judgement_id });
  assert.equal(replayed.same, true);
  assert.equal(replayed.same_prompts, true);
});

test("a deleted judgement takes its facts along", async () => {
  const sent = model.requests.length;
  await byId(page, "judgement-delete").click();
  await until("no mark", async () =>
    (await byId(page, "fact-note").allInnerTexts()).every((note) => !note.includes("by model")),
  );
  assert.equal(model.requests.length, sent);
  assert.deepEqual(window.complaints, []);
});

test("verdicts on claims stand beside those of rules, with sums of their own", async () => {
  const ask = async () => {
    const of = await byId(page, "ledger-of").inputValue();
    return rpc(server, "ledger", {
      session: session.id,
      compaction: of.slice(6),
    });
  };
  const before = await ask();
  await byId(page, "judge-what").selectOption("claims");
  await until("the plan of the question", async () =>
    /tokens\) (and kept tail|, )|are sent/.test(await byId(page, "judge-price").innerText()),
  );
  await byId(page, "judge-ask").click();
  await byId(page, "judgement-details").waitFor();
  await byId(page, "claims-view").click();
  await byId(page, "claims-by-model").waitFor();
  const after = await ask();
  assert.deepEqual(after.totals, before.totals);
  const verdicts = (ledger) => ledger.claims.map((own) => [own.verdict, own.reason]);
  assert.deepEqual(verdicts(after), verdicts(before));
  const sums = after.judged_claims.claims;
  assert.ok(sums.contradicted >= 1 && sums.unchecked > 0, JSON.stringify(sums));
  assert.ok(after.judged_claims.facts.kept >= 1, JSON.stringify(after.judged_claims));
  await byId(page, "claims-all").click();
  const first = byId(page, "claim").first();
  assert.match(await first.innerText(), /Contradicted\s+by model/);
  assert.ok((await page.locator('[data-testid="claim"][data-by-model="unchecked"]').count()) > 0);
  const [judgement] = await rpc(server, "judgements", { session: session.id });
  assert.equal(judgement.what, "claims");
  const replayed = await rpc(server, "replay", { run: judgement.judgement_id });
  assert.equal(replayed.same, true);
  assert.equal(replayed.same_prompts, true);
  await byId(page, "judgement-delete").click();
  await until(
    "no verdict of a model",
    async () => (await byId(page, "claim-by-model").count()) === 0,
  );
  assert.deepEqual(window.complaints, []);
});
