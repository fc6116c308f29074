// Starts the real programs on a data folder of their own, and stops them again.

import { spawn } from "node:child_process";
import { existsSync } from "node:fs";
import { mkdtemp, rm } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

/** Where `start` and `check` put the programs, the first that is there; a variable overrides it. */
export function program(name, variable) {
  const chosen = process.env[variable];
  if (chosen) return chosen;
  const cache = process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache");
  const target = process.env.PALIMPSEST_TARGET_DIR ?? join(cache, "palimpsest", "target");
  const places = ["release", "debug"].map((profile) => join(target, profile, name));
  const found = places.find((place) => existsSync(place));
  if (!found)
    throw new Error(
      `${name} is not built (looked for ${places.join(", ")}); run ./start --no-run, or set ${variable}`,
    );
  return found;
}

/** A new empty folder, and how to remove it. */
export async function scratch(name) {
  const dir = await mkdtemp(join(tmpdir(), `palimpsest-${name}-`));
  // Chromium's helpers may still write for a moment after it was told to go.
  return {
    dir,
    remove: () =>
      rm(dir, {
        recursive: true,
        force: true,
        maxRetries: 10,
        retryDelay: 100,
      }),
  };
}

/**
 * Serves the sample sessions, or those in the home folder that `env` names, on a free port unless
 * one is named, with a data folder of its own unless one is given.
 * `url` carries the token, `log()` is what the program has said so far.
 */
export async function serve({ samples = true, env = {}, port = 0, data = null } = {}) {
  const own = data === null;
  data ??= await scratch("serve");
  const child = spawn(
    program("palimpsest", "PALIMPSEST"),
    [...(samples ? ["--samples"] : []), "--data-dir", data.dir, "serve", "--port", String(port)],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, HOME: data.dir, ...env },
    },
  );
  let said = "";
  const url = await new Promise((found, failed) => {
    const hear = (chunk) => {
      said += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+\/\?token=[0-9a-f]+/.exec(said);
      if (address) found(address[0]);
    };
    child.stdout.on("data", hear);
    child.stderr.on("data", hear);
    child.once("error", failed);
    child.once("exit", (code) =>
      failed(new Error(`the server ended with ${code} before it was ready:\n${said}`)),
    );
    setTimeout(() => failed(new Error(`no address after 60 seconds:\n${said}`)), 60_000).unref();
  });
  return {
    url,
    pid: child.pid,
    dataDir: data.dir,
    log: () => said,
    /** Ends it without a chance to tidy up; its data folder stays. */
    async kill() {
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await gone;
    },
    async stop() {
      if (child.exitCode === null && child.signalCode === null) {
        const gone = new Promise((done) => child.once("exit", done));
        child.kill("SIGINT");
        await gone;
      }
      if (own) await data.remove();
    },
  };
}

/** Calls a command of a served program as the page does. */
export async function rpc(server, command, params = {}) {
  const { origin, searchParams } = new URL(server.url);
  const response = await fetch(`${origin}/rpc/${command}`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-palimpsest-token": searchParams.get("token"),
    },
    body: JSON.stringify(params),
  });
  const answer = await response.json();
  if (!response.ok) throw new Error(`${command}: ${answer.message} (${answer.code})`);
  return answer;
}

/** Waits until `ask` gives something true, and gives it back. */
export async function until(what, ask, { within = 30_000 } = {}) {
  const end = Date.now() + within;
  let last;
  for (;;) {
    try {
      const answer = await ask();
      if (answer) return answer;
    } catch (error) {
      last = error;
    }
    if (Date.now() > end)
      throw new Error(
        `waited ${within / 1000} s for ${what}${last ? `; last: ${last.message}` : ""}`,
      );
    await new Promise((wake) => setTimeout(wake, 100));
  }
}
