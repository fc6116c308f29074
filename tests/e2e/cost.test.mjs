// Prices that the user enters, the question before a run above the cost limit, and the prompts of an
// installed agent.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, serve, until } from "../lib/program.mjs";
import { compacted, openRerun, scriptedProvider } from "../lib/sample.mjs";

let server, scripted, window, page, session;

/** An agent as npm installs it, with a prompt of our own. */
async function install(home) {
  const folder = join(home, ".npm-global/lib/node_modules/@earendil-works/pi-coding-agent");
  await mkdir(join(folder, "dist/core/compaction"), { recursive: true });
  const manifest = {
    name: "@earendil-works/pi-coding-agent",
    version: "1.5.2",
  };
  await writeFile(join(folder, "package.json"), JSON.stringify(manifest));
  const module = "const SUMMARIZATION_PROMPT = `Put the state on paper.`;\n";
  await writeFile(join(folder, "dist/core/compaction/compaction.js"), module);
}

before(async () => {
  server = await serve();
  scripted = await scriptedProvider(server, ["scripted-ok"]);
  await install(server.dataDir);
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

const ready = () => until("plans that can run", async () => byId(page, "run-button").isEnabled());
const runs = async () => (await rpc(server, "runs", { session: session.id })).length;

test("prices are entered with the provider and used in the estimate", async () => {
  await byId(page, "provider").selectOption("scripted");
  await byId(page, "model").fill("scripted-ok");
  await until("an unknown price", async () =>
    (await byId(page, "estimate").innerText()).includes("unknown price"),
  );
  await byId(page, "open-settings").click();
  await page.getByRole("button", { name: "Edit scripted" }).click();
  await byId(page, "provider-prices").locator("summary").click();
  await byId(page, "price-add").click();
  assert.equal(await byId(page, "price-model").inputValue(), "scripted-ok");
  await byId(page, "price-input").fill("2");
  await byId(page, "price-output").fill("10");
  await byId(page, "provider-form").getByRole("button", { name: "Save" }).click();
  await byId(page, "cost-limit").fill("0.0001");
  await byId(page, "cost-limit-save").click();
  await until("the limit", async () => {
    const { ask_above_usd } = await rpc(server, "settings");
    return ask_above_usd === 0.0001;
  });
  await page.keyboard.press("Escape");
  await byId(page, "instructions").fill("Keep every port.");
  await until("a price of the user", async () =>
    (await byId(page, "estimate").innerText()).includes("by your prices"),
  );
});

test("a run above the limit asks first", async () => {
  await ready();
  await byId(page, "run-button").click();
  await byId(page, "cost-dialog").waitFor();
  assert.match(await byId(page, "cost-most").innerText(), /\$0\.\d+/);
  await page.keyboard.press("Escape");
  await byId(page, "cost-dialog").waitFor({ state: "detached" });
  assert.equal(await runs(), 0);
  await byId(page, "run-button").click();
  await byId(page, "cost-run-anyway").click();
  await byId(page, "run-result", '[data-status="done"]').waitFor({
    timeout: 90_000,
  });
  const [run] = await rpc(server, "runs", { session: session.id });
  assert.ok(run.usage.cost_usd > 0, JSON.stringify(run.usage));
  await byId(page, "back-to-plan").click();
});

test("the wording of an installed agent is found, imported and labeled", async () => {
  await byId(page, "open-settings").click();
  await byId(page, "installed-search").click();
  await byId(page, "installed-agent").waitFor();
  assert.match(await byId(page, "installed-agent").first().innerText(), /pi\s+1\.5\.2/);
  await byId(page, "installed-import").first().click();
  await until("the import", async () => (await byId(page, "installed-import").count()) === 0);
  const named = async () => {
    const all = await rpc(server, "prompts");
    return all.find((own) => own.name === "pi first (installed)");
  };
  const saved = await until("the prompt", named);
  assert.match(saved.text, /Put the state on paper\./);
  assert.match(saved.source, /pi-coding-agent \(pi 1\.5\.2\)$/);
  await byId(page, "prompt-row").getByRole("button", { name: saved.name, exact: true }).click();
  await byId(page, "prompt-label").first().click();
  await byId(page, "prompt-label-text").fill("baseline");
  await page.keyboard.press("Enter");
  await until("the label", async () => {
    const own = await named();
    return own.label === "baseline";
  });
  await page.keyboard.press("Escape");
});

test("the page had nothing to complain about", () => {
  assert.deepEqual(window.complaints, []);
});
