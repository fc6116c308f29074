//! Coder servers in the settings: added with a token, read, removed.

import { fireEvent } from "@testing-library/svelte";
import { expect, test } from "vitest";
import { all, find, openWindow, waitFor } from "../open";

const URL = "https://coder.example.com";

test("a server is added with its token, and its chats are read", async () => {
  const { app, host } = await openWindow();
  app.overlay = "settings";
  await fireEvent.input(await find("coder-url"), { target: { value: URL } });
  await fireEvent.input(await find("coder-token"), { target: { value: "secret" } });
  await fireEvent.click(await find("coder-add"));
  const row = await find("coder-row", { "data-server": URL, "data-key": "keyring" });
  expect(((await find("coder-token")) as HTMLInputElement).value).toBe("");
  await fireEvent.click(await find("coder-read"));
  await waitFor(() => expect(all("coder-row")[0]!.textContent).toContain("2 chats"));
  const sent = host.calls.filter((call) => call.command.startsWith("coder_"));
  expect(sent.find((call) => call.command === "coder_save")?.params).toEqual({
    base_url: URL,
    token: "secret",
  });
  await fireEvent.click(row.querySelector('[aria-label^="Remove"]')!);
  await waitFor(() => expect(all("coder-row")).toHaveLength(0));
});

test("what a server refuses is said", async () => {
  const refusal = { code: "provider" as const, message: "the key was refused", hint: null };
  const { app } = await openWindow("", { failing: { coder_read: refusal } });
  app.overlay = "settings";
  await fireEvent.input(await find("coder-url"), { target: { value: URL } });
  await fireEvent.input(await find("coder-token"), { target: { value: "secret" } });
  await fireEvent.click(await find("coder-add"));
  await fireEvent.click(await find("coder-read"));
  await waitFor(() => expect(all("toast")[0]!.textContent).toContain("he key was refused"));
});

test("a server without a token does not look ready", async () => {
  const { app } = await openWindow();
  app.overlay = "settings";
  await fireEvent.input(await find("coder-url"), { target: { value: URL } });
  await fireEvent.click(await find("coder-add"));
  const row = await find("coder-row", { "data-server": URL, "data-key": "missing" });
  expect(row.textContent).toContain("no token: reading will be refused");
  const toast = await find("toast");
  expect(toast.textContent).toContain("No token: reading will be refused");
  expect(toast.textContent).toContain("Enter the token of the server");
  // Only the token has to be entered.
  expect(((await find("coder-url")) as HTMLInputElement).value).toBe(URL);
});

test("a reading under way is cancelled", async () => {
  const { app, host } = await openWindow("", { slowCoder: true });
  app.overlay = "settings";
  await fireEvent.input(await find("coder-url"), { target: { value: URL } });
  await fireEvent.input(await find("coder-token"), { target: { value: "secret" } });
  await fireEvent.click(await find("coder-add"));
  await fireEvent.click(await find("coder-read"));
  await fireEvent.click(await find("coder-cancel"));
  await find("coder-read");
  const sent = host.calls.find((call) => call.command === "coder_cancel");
  expect(sent?.params).toEqual({ base_url: URL });
  await waitFor(() => expect(all("toast")[0]!.textContent).toContain("Reading cancelled"));
});
