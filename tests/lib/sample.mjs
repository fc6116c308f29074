// The sample session that most flows start from, and the way to its Re-run tab.

import { byId } from "./browser.mjs";
import { models } from "./models.mjs";
import { rpc, until } from "./program.mjs";

/** A sample session with two compactions or more, as soon as the index has it. */
export function compacted(server) {
  return until("the samples in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {
      query: "has:compaction",
      limit: 50,
      offset: 0,
    });
    return sessions.find((one) => one.compactions >= 2);
  });
}

/** Starts the scripted model server and sets it up as the provider "scripted". */
export async function scriptedProvider(server, names) {
  const scripted = await models();
  await rpc(server, "provider_save", {
    name: "scripted",
    kind: "openai",
    base_url: `${scripted.url}/v1`,
    key_env: null,
    models: names,
  });
  return scripted;
}

/** Opens the session's newest compaction in Re-run and waits for its plan. */
export async function openRerun(page, server, session) {
  await page.goto(server.url);
  await byId(page, "session-row", `[data-session="${session.id}"]`).click();
  // Before its rows there is no entry from which a key could lead on.
  await byId(page, "outline-row", '[aria-selected="true"]').waitFor();
  await byId(page, "outline").focus();
  await page.keyboard.press("[");
  await byId(page, "outline-row", '[data-kind="compaction"][aria-selected="true"]').waitFor();
  await byId(page, "tab-rerun").click();
  await byId(page, "plan", '[data-fresh="true"]').waitFor();
}
