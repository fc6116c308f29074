//! What the window says while the server does not respond.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import type { FakeOptions } from "../../src/host/fake";
import { serveCommand } from "../../src/host/serve";
import { unsaid } from "../../src/lib/ui/errors";
import type { WireError } from "../../src/wire/wire";
import { all, find, openWindow, waitFor } from "../open";

const error = (message: string): WireError => ({ code: "user_fixable", message, hint: null });
const gone = error("The server does not respond.");

test("the command serves the page at its own port", async () => {
  expect(serveCommand("7500")).toBe("palimpsest serve --port 7500");
  expect(serveCommand("")).toBe("palimpsest serve --port 80");
  const { app } = await openWindow();
  app.connection = "lost";
  const banner = await find("connection-lost");
  expect(banner.querySelector("code")!.textContent).toBe(serveCommand(location.port));
});

test("an error is shown where none before it says the same", () => {
  expect(unsaid(gone, [undefined, error("Other.")])).toBe(gone);
  expect(unsaid(gone, [{ ...gone }])).toBeUndefined();
  expect(unsaid(undefined, [gone])).toBeUndefined();
});

test("a search without the server says so once and counts nothing", async () => {
  const failing: FakeOptions["failing"] = {};
  const { app } = await openWindow("", { failing });
  await find("session-count");
  Object.assign(failing, { sessions: gone, search: gone });
  app.connection = "lost";
  await fireEvent.input(await find("search"), { target: { value: "broker" } });
  await waitFor(() => expect(all("error-note")).toHaveLength(1));
  expect(all("session-count")).toHaveLength(0);
  delete failing.sessions;
  delete failing.search;
  app.connection = "connected";
  await fireEvent.click(all("error-note")[0]!.querySelector("button")!);
  await find("session-count");
});
