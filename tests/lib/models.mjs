// The scripted model server of the test kit as a program, on loopback.

import { spawn } from "node:child_process";

import { program } from "./program.mjs";

/** Starts it; `url` is what a provider is told, `stop()` ends it. */
export async function models() {
  const child = spawn(program("scripted-llm", "SCRIPTED_LLM"), [], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const url = await new Promise((found, failed) => {
    let said = "";
    child.stdout.on("data", (chunk) => {
      said += chunk;
      const address = /http:\/\/127\.0\.0\.1:\d+/.exec(said);
      if (address) found(address[0]);
    });
    child.once("error", failed);
    child.once("exit", (code) =>
      failed(new Error(`the model server ended with ${code} before it was ready`)),
    );
  });
  return {
    url,
    async stop() {
      // One that was killed has a signal and no code.
      if (child.exitCode !== null || child.signalCode !== null) return;
      const gone = new Promise((done) => child.once("exit", done));
      child.kill("SIGKILL");
      await gone;
    },
  };
}
