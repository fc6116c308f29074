// Takes a picture of every screen on the sample sessions: screens.mjs FOLDER [NAME...]
//
// The pictures are for people to look at; no test compares them. What the screens are is said in
// ui/scripts/shots.mjs, which also takes them from made-up data without a program behind.

import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

import { rpc, serve, until } from "../lib/program.mjs";

const [folder, ...names] = process.argv.slice(2);
if (!folder) {
  console.error("usage: scripts/screenshots FOLDER [NAME...]");
  process.exit(2);
}

const server = await serve();
let code;
try {
  const sessions = await until("the samples in the index", async () => {
    const page = await rpc(server, "sessions");
    return page.sessions.length >= 4 && page.sessions;
  });
  // The one with the most compactions has something to show on every screen.
  const most = Math.max(...sessions.map((one) => one.compactions));
  const SESSION =
    process.env.SESSION ?? String(sessions.findIndex((one) => one.compactions === most));
  const shots = spawnSync(
    process.execPath,
    ["scripts/shots.mjs", server.url, resolve(folder), ...names],
    {
      cwd: fileURLToPath(new URL("../../ui/", import.meta.url)),
      stdio: "inherit",
      env: { ...process.env, SESSION },
    },
  );
  code = shots.status ?? 1;
} finally {
  await server.stop();
}
process.exit(code);
