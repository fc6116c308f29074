// Sessions that attack the page: nothing in them runs, loads or leads away.

import assert from "node:assert/strict";
import { mkdir, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { join } from "node:path";
import { after, before, test } from "node:test";

import { browser, byId } from "../lib/browser.mjs";
import { rpc, scratch, serve, until } from "../lib/program.mjs";

let home, server, window, page, session, trap;
/** Addresses that something in a session made the browser ask for. */
const asked = [];

/** Texts that run a script or load something in a page that takes them for markup. */
function corpus(port) {
  const url = `http://127.0.0.1:${port}`;
  const run = "window.__ran=1";
  return [
    `<script>${run}</script>`,
    `<img src=x onerror="${run}">`,
    `<img src="${url}/image">`,
    `<svg onload="${run}"><a xlink:href="javascript:${run}"><text>x</text></a></svg>`,
    `<iframe src="${url}/frame" srcdoc="<script>parent.__ran=1</script>"></iframe>`,
    `<link rel=stylesheet href="${url}/style"><style>@import "${url}/import";</style>`,
    `<meta http-equiv=refresh content="0;url=${url}/refresh">`,
    `<base href="${url}/">`,
    `<form action="${url}/form"><input autofocus onfocus="${run}"></form>`,
    `<details open ontoggle="${run}">`,
    `<video><source onerror="${run}"></video>`,
    `<math><mtext></p><style><!--</style><img title="--><img src=x onerror=${run}>">`,
    `![picture](${url}/markdown)`,
    `![picture][ref]\n\n[ref]: ${url}/reference`,
    `[click](javascript:${run})`,
    `[click](JaVaScRiPt:${run})`,
    `[click](data:text/html,<script>${run}</script>)`,
    `[click](vbscript:${run})`,
    `<javascript:${run}>`,
    `[a](<x" onmouseover="${run}>)`,
    `\`\`\`html\n<script>${run}</script>\n\`\`\``,
    `\`\`\`"><img src=x onerror=${run}>\ncode\n\`\`\``,
    `| <img src=x onerror=${run}> | b |\n|---|---|\n| <script>${run}</script> | d |`,
    `\u001b]8;;javascript:${run}\u0007link\u001b]8;;\u0007 \u001b[31m<b onclick=${run}>x</b>`,
    `{{constructor.constructor('${run}')()}} \${${run}} {@html '<img src=x onerror=${run}>'}`,
    `"><img src=x onerror=${run}>`,
    `'-${run}-'`,
    `</title><script>${run}</script>`,
    `</textarea><script>${run}</script>`,
    `\u2028${run}\u2029`,
  ];
}

before(async () => {
  trap = createServer((request, response) => {
    asked.push(request.url);
    response.end("<script>parent.__ran=1</script>");
  });
  await new Promise((done) => trap.listen(0, "127.0.0.1", done));
  home = await scratch("home");
  const folder = join(home.dir, ".pi", "agent", "sessions", "--home-ada--");
  await mkdir(folder, { recursive: true });
  const texts = corpus(trap.address().port);
  const at = "2026-10-05T10:00:00.000Z";
  const lines = [
    {
      type: "session",
      version: 3,
      id: "hostile",
      timestamp: at,
      cwd: texts[1],
    },
  ];
  let parent = null;
  const add = (entry) => {
    const id = `e${lines.length}`;
    lines.push({ id, parentId: parent, timestamp: at, ...entry });
    parent = id;
  };
  add({ type: "session_info", name: texts[1] });
  for (const text of texts) {
    add({
      type: "message",
      message: { role: "user", content: text, timestamp: 1 },
    });
    add({
      type: "message",
      message: {
        role: "assistant",
        provider: "p",
        model: text,
        content: [
          { type: "thinking", thinking: text },
          { type: "text", text },
          {
            type: "toolCall",
            id: `t${lines.length}`,
            name: text,
            arguments: { command: text },
          },
        ],
        stopReason: "toolUse",
        timestamp: 1,
      },
    });
    add({
      type: "message",
      message: {
        role: "toolResult",
        toolCallId: `t${lines.length - 1}`,
        toolName: text,
        content: [{ type: "text", text }],
        isError: true,
        timestamp: 1,
      },
    });
  }
  add({
    type: "compaction",
    summary: texts.join("\n\n"),
    firstKeptEntryId: "e3",
    tokensBefore: 90_000,
  });
  add({
    type: "message",
    message: { role: "user", content: texts.join("\n"), timestamp: 1 },
  });
  const name = "2026-10-05T10-00-00-000Z_hostile.jsonl";
  await writeFile(join(folder, name), lines.map((line) => JSON.stringify(line)).join("\n") + "\n");
  server = await serve({ samples: false, env: { HOME: home.dir } });
  window = await browser();
  page = window.page;
  page.on("dialog", (dialog) => dialog.dismiss());
  session = await until("the session in the index", async () => {
    const { sessions } = await rpc(server, "sessions", {});
    return sessions[0];
  });
});

after(async () => {
  await window?.close();
  await server?.stop();
  await home?.remove();
  trap?.close();
});

/** Nothing ran, nothing was loaded, and the page is still the program's own. */
async function nothingHappened(where) {
  assert.equal(await page.evaluate(() => window.__ran), undefined, `a script ran: ${where}`);
  assert.deepEqual(asked, [], `something was loaded: ${where}`);
  assert.ok(page.url().startsWith(server.url.split("?")[0]), `the page was left: ${where}`);
  const scripts = await page.evaluate(() => {
    const foreign = [...document.querySelectorAll("script, iframe, object, embed, base, form")];
    return foreign
      .filter((one) => one.tagName !== "SCRIPT" || !one.src)
      .map((one) => one.outerHTML);
  });
  assert.deepEqual(scripts, [], `markup of the session is in the page: ${where}`);
}

test("no text of a session runs, loads or leads away, wherever it is shown", async () => {
  await page.goto(server.url);
  await byId(page, "session-row").first().click();
  await byId(page, "outline-row").first().waitFor();
  await nothingHappened("the list and the outline");
  const { nodes } = await rpc(server, "tree", { session: session.id });
  assert.ok(nodes.length > 90, `${nodes.length} entries`);
  // Each text once as a prompt, once in a reply, and the summary with all of them.
  for (const node of nodes) {
    await page.evaluate(([s, e]) => (location.hash = `s=${s}&e=${e}`), [session.id, node.id]);
    await byId(page, "entry-tab", `[data-entry="${node.id}"]`).waitFor();
    await nothingHappened(`entry ${node.id}`);
  }
});

test("links of a session do not name a script", async () => {
  const targets = await page.evaluate(() =>
    [...document.querySelectorAll("a[href]")].map((link) => link.getAttribute("href")),
  );
  const wrong = targets.filter((target) => /^\s*(javascript|data|vbscript):/i.test(target));
  assert.deepEqual(wrong, []);
});

test("a search that finds them shows them as text", async () => {
  const { hits } = await rpc(server, "search", { query: "onerror", limit: 50 });
  assert.ok(hits.length > 5, `${hits.length} hits`);
  await page.evaluate(() => (location.hash = ""));
  const box = page.getByPlaceholder("Search titles and text");
  await box.fill("onerror");
  await box.press("Enter");
  await until("an answer to the search", async () => (await page.locator("mark").count()) > 0);
  await nothingHappened("the hits of a search");
});
