// The few WebDriver calls the desktop tests need, over plain HTTP to tauri-driver.
// https://www.w3.org/TR/webdriver2/

import { spawn } from "node:child_process";
import { createServer } from "node:net";

import { until } from "./program.mjs";

/** The key under which WebDriver hands out elements (section 12.1). */
const ELEMENT = "element-6066-11e4-a52e-4f735466cecf";

async function freePort() {
  return new Promise((found, failed) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => found(port));
    });
    server.once("error", failed);
  });
}

/** Starts tauri-driver, which starts WebKitWebDriver. */
export async function startDriver(path) {
  const [port, nativePort] = [await freePort(), await freePort()];
  // In a group of its own, so that the window ends with it: on a busy machine a window outlived its
  // driver, and kept the output of the tests open, so that they never ended.
  const child = spawn(path, ["--port", String(port), "--native-port", String(nativePort)], {
    stdio: ["ignore", "inherit", "inherit"],
    detached: true,
  });
  const stop = () => {
    try {
      process.kill(-child.pid, "SIGKILL");
    } catch {
      // The group has ended.
    }
  };
  process.once("exit", stop);
  let lost;
  child.once("error", (error) => (lost = error));
  const base = `http://127.0.0.1:${port}`;
  await until("tauri-driver", async () => {
    if (lost) throw lost;
    return (await fetch(`${base}/status`)).ok;
  });
  return { base, stop };
}

/** Opens the program's window and speaks with it. */
export async function openWindow(driver, application, args) {
  async function send(method, path, body) {
    const response = await fetch(`${driver.base}${path}`, {
      method,
      headers: { "content-type": "application/json" },
      body: body === undefined ? undefined : JSON.stringify(body),
    });
    const { value } = await response.json();
    if (!response.ok) throw new Error(`${method} ${path}: ${value?.error}: ${value?.message}`);
    return value;
  }
  // No browserName: WebKitWebDriver would look for a browser instead of the program.
  const capabilities = { alwaysMatch: { "tauri:options": { application, args } } };
  const { sessionId } = await send("POST", "/session", { capabilities });
  const session = `/session/${sessionId}`;
  const element = (id) => `${session}/element/${id}`;

  async function findAll(css) {
    const found = await send("POST", `${session}/elements`, { using: "css selector", value: css });
    return found.map((one) => one[ELEMENT]);
  }
  async function find(css, options) {
    return until(css, async () => (await findAll(css))[0], options);
  }
  return {
    findAll,
    find,
    click: async (css) => send("POST", `${element(await find(css))}/click`, {}),
    type: async (css, text) => send("POST", `${element(await find(css))}/value`, { text }),
    text: async (css) => send("GET", `${element(await find(css))}/text`),
    run: (script, ...args) => send("POST", `${session}/execute/sync`, { script, args }),
    title: () => send("GET", `${session}/title`),
    screenshot: async () => Buffer.from(await send("GET", `${session}/screenshot`), "base64"),
    close: () => send("DELETE", session),
  };
}
