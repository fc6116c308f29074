// The workbench: rows that are independent, runs found again after a reload, one retried, four side
// by side, and the panel of prompts.

import assert from "node:assert/strict";
import { after, before, test } from "node:test";

import { browser, byId, reload } from "../lib/browser.mjs";
import { provider, summary } from "../lib/provider.mjs";
import { rpc, serve, until } from "../lib/program.mjs";
import { compacted, openRerun, scriptedProvider } from "../lib/sample.mjs";

let server, scripted, window, page, session;

before(async () => {
  server = await serve();
  scripted = await scriptedProvider(server, ["scripted-ok", "scripted-paced"]);
  window = await browser();
  page = window.page;
  session = await compacted(server);
  await openRerun(page, server, session);
});

after(async () => {
  await window?.close();
  await scripted?.stop();
  await server?.stop();
});

const ended = (status) => byId(page, "side-row", `[data-status="${status}"]`).count();
const ready = () =>
  until("plans that can run", async () => byId(page, "run-button").isEnabled(), { within: 30_000 });

test("a re-run begins with the strategy of the session's agent", async () => {
  const { strategy } = await rpc(server, "open", { session: session.id });
  assert.equal(await byId(page, "strategy").getAttribute("data-value"), strategy);
});

test("a copied row has its own model, instructions and repeats", async () => {
  await byId(page, "instructions").fill("Keep every port.");
  await byId(page, "instructions-unused").waitFor();
  assert.equal(await byId(page, "instructions-replace").count(), 0);
  await byId(page, "row-add").click();
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-ok");
  await byId(page, "instructions").fill("Keep every port and path.");
  await byId(page, "repeats").fill("2");
  await byId(page, "repeats").blur();
  await until("the rows", async () => {
    const rows = await byId(page, "tray-runs-on").allInnerTexts();
    return rows.join("; ") === "offline summarizer; scripted scripted-ok, 2 times";
  });
  await byId(page, "tray-copy").nth(1).click();
  await byId(page, "repeats").fill("1");
  await byId(page, "repeats").blur();
  await byId(page, "instructions").fill("Keep every command.");
  assert.match(await byId(page, "tray-row").nth(1).innerText(), /port and path/);
  await ready();
  assert.equal(await byId(page, "run-button").innerText(), "Run 4");
});

test("four runs stand side by side with what they differ in and their facts", async () => {
  await byId(page, "run-button").click();
  await until("four summaries", async () => (await ended("done")) === 4, {
    within: 90_000,
  });
  await byId(page, "compare-done").click();
  await byId(page, "compare-totals").waitFor();
  assert.equal(await byId(page, "compare-totals").locator("thead th").count(), 4);
  const keys = await byId(page, "compare-setting").evaluateAll((rows) =>
    rows.map((row) => row.dataset.key),
  );
  assert.deepEqual([...keys].sort(), ["model", "prompts.instructions", "provider"]);
  await byId(page, "setting-texts").first().click();
  await byId(page, "text-diff").first().waitFor();
  assert.match(await byId(page, "compare-repeats").innerText(), /repeats of one row/);
  assert.equal(await byId(page, "compared-fact").first().locator("td").count(), 5);
  await byId(page, "compare-evidence").first().click();
  await byId(page, "fact").first().waitFor();
});

test("the list of runs says what they differ in", async () => {
  const runs = await rpc(server, "runs", { session: session.id });
  assert.ok(runs.every((run) => run.differs.some((own) => own.key === "prompts.instructions")));
  await byId(page, "tab-runs").click();
  await byId(page, "compare-back").click();
  await byId(page, "run-differs").first().waitFor();
  await byId(page, "run-row").first().locator('[data-testid="note-run"]').click();
  await byId(page, "run-note-name").fill("the shortest");
  await byId(page, "run-note-save").click();
  await until("its name", async () =>
    (await byId(page, "run-row").first().innerText()).includes("the shortest"),
  );
});

test("a run under way is found again after a reload and ends as it would have", async () => {
  await byId(page, "tab-rerun").click();
  await byId(page, "back-to-plan").click();
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
  for (let more = await byId(page, "tray-remove").count(); more > 1; more--)
    await byId(page, "tray-remove").first().click();
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-paced");
  await ready();
  await byId(page, "run-button").click();
  await until("its first words", async () =>
    (await byId(page, "run-text").first().innerText()).includes("Goal"),
  );
  await page.reload();
  await byId(page, "run-result", '[data-status="running"]').waitFor();
  assert.match(await byId(page, "run-text").innerText(), /Goal/);
  await byId(page, "run-result", '[data-status="done"]').waitFor({
    timeout: 90_000,
  });
  await byId(page, "back-to-plan").click();
});

test("a run that fails is told in one line and made again", async () => {
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-unheard-of");
  await ready();
  await scripted.stop();
  await byId(page, "run-button").click();
  await byId(page, "error-note").waitFor({ timeout: 90_000 });
  assert.match(await byId(page, "error-note").innerText(), /The run failed on scripted/);
  await byId(page, "run-again").click();
  await byId(page, "cancel-button").waitFor();
  await byId(page, "cancel-button").click();
  await byId(page, "run-failures").or(byId(page, "run-again")).first().waitFor({ timeout: 30_000 });
  await byId(page, "back-to-plan").click();
});

test("a provider that states its limit gets one further request, which fits it", async () => {
  // Characters of the conversation as the provider counts them; four make a token.
  const tokens = (size) => Math.ceil(size / 4);
  const share = 0.6;
  let limit;
  const strict = await provider(({ nth, size }) => {
    limit ??= Math.floor(tokens(size) * share);
    return tokens(size) <= limit
      ? summary(nth)
      : {
          status: 400,
          error: {
            code: "context_length_exceeded",
            message: `This model's maximum context length is ${limit} tokens, the messages have ${tokens(size)}.`,
          },
        };
  });
  try {
    await rpc(server, "provider_save", {
      name: "strict",
      kind: "openai",
      base_url: `${strict.url}/v1`,
      key_env: null,
      models: ["small"],
    });
    // The list of providers is read again with the page.
    await reload(page);
    await byId(page, "strategy").click();
    await byId(page, "strategy-search").fill("codex");
    await byId(page, "strategy-choose", '[data-row="codex"]').click();
    await byId(page, "provider").selectOption("strict");
    await byId(page, "model").fill("small");
    await ready();
    await byId(page, "show-prompt").first().click();
    await byId(page, "call-retries").waitFor();
    const told = await byId(page, "call-retries").innerText();
    const most = Number(/At most (\d+) further requests/.exec(told)?.[1]);
    assert.ok(most >= 2 && most <= 12, `attempts are capped and shown beforehand: ${told}`);
    assert.match(told, /Without 1 message: [\d.]+k? input tokens/);
    assert.equal(strict.requests.length, 0);
    await byId(page, "run-button").click();
    await byId(page, "run-result", '[data-status="done"]').waitFor({
      timeout: 60_000,
    });
    const sizes = strict.requests.map(({ size }) => tokens(size));
    assert.equal(sizes.length, 2, `one refusal, then one that fits: ${sizes} of ${limit}`);
    assert.ok(sizes[0] > limit && sizes[1] <= limit, `${sizes} of ${limit}`);
    await byId(page, "run-failures").or(byId(page, "fell-back")).first().waitFor();
    await byId(page, "back-to-plan").click();
  } finally {
    await strict.stop();
  }
});

test("prompts stand in front, with versions, placeholders and differences", async () => {
  await byId(page, "part-prompts").click();
  await byId(page, "prompt-panel").waitFor();
  await byId(page, "prompt-places").waitFor();
  const text = await byId(page, "prompt-edit").inputValue();
  await byId(page, "prompt-edit").fill(`${text}\nName every port.`);
  await byId(page, "version-diff").first().click();
  await byId(page, "text-diff-line", '[data-kind="added"]').first().waitFor();
  await byId(page, "prompt-tab", '[data-place="instructions"]').click();
  await byId(page, "prompt-version").first().waitFor();
  assert.match(await byId(page, "prompt-version").first().innerText(), /run/);
});

test("the page had nothing to complain about", () => {
  // The reload cuts the request of the run off, which is its own complaint.
  assert.deepEqual(
    window.complaints.filter((one) => !/Failed to load|ERR_|aborted/i.test(String(one))),
    [],
  );
});
