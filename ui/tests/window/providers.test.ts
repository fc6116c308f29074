//! Providers in the settings: where a key comes from, and that nothing typed is lost.

import { fireEvent } from "@testing-library/svelte";
import { describe, expect, test } from "vitest";
import type { FakeOptions } from "../../src/host/fake";
import { keyNote } from "../../src/lib/inspector/rerun/choices";
import type { ProviderRow, WireError } from "../../src/wire/wire";
import { all, find, openWindow, waitFor } from "../open";

const LOCKED: WireError = {
  code: "provider",
  message: "the system keyring cannot be used (no keyring service answers on this machine)",
  hint: "Start and unlock the keyring of the system.",
  next: { kind: "unlock_keyring" },
};
const MISSING: WireError = {
  code: "provider",
  message: "openai has no API key",
  hint: null,
  next: { kind: "set_key", provider: "openai", env: "OPENAI_API_KEY", no_keyring: true },
};

/** Opens the row of the provider whose key is missing. */
async function openai(options: FakeOptions = {}): Promise<HTMLElement> {
  const { app } = await openWindow("", options);
  app.openSettings("providers");
  return find("provider-row", { "data-provider": "openai" });
}
const within = (row: HTMLElement, id: string): HTMLElement =>
  row.querySelector<HTMLElement>(`[data-testid=${id}]`)!;

describe("a provider without a key", () => {
  test("names the variable, and says that it is read when the program starts", async () => {
    const row = await openai();
    await fireEvent.click(within(row, "key-button"));
    const hint = (await find("key-hint")).textContent;
    expect(hint).toContain("keyring");
    expect(hint).toContain("OPENAI_API_KEY");
    expect(hint).toContain("start Palimpsest again");
    expect(hint).toContain("only when it starts");
    const note = keyNote({ key_state: "missing", key_env: "OPENAI_API_KEY" } as ProviderRow);
    expect(note).toContain("Set the environment variable OPENAI_API_KEY before Palimpsest starts");
  });

  test("keeps the typed key where it could not be stored, and says that there is no keyring", async () => {
    const row = await openai({ failing: { provider_key: LOCKED } });
    await fireEvent.click(within(row, "key-button"));
    const input = (await find("key-input")) as HTMLInputElement;
    expect(document.activeElement).toBe(input);
    await fireEvent.input(input, { target: { value: "sk-test" } });
    await fireEvent.submit(input.closest("form")!);
    expect((await find("key-refused")).textContent).toContain("no keyring service answers");
    expect(input.isConnected).toBe(true);
    expect(input.value).toBe("sk-test");
    const hint = (await find("key-hint")).textContent;
    expect(hint).toContain("no keyring that can store a key");
    expect(hint).toContain("OPENAI_API_KEY");
  });

  test("keeps the typed key beside a failed test, which says what to do", async () => {
    const row = await openai({ failing: { provider_models: MISSING } });
    await fireEvent.click(within(row, "key-button"));
    const input = (await find("key-input")) as HTMLInputElement;
    await fireEvent.input(input, { target: { value: "sk-test" } });
    await fireEvent.click(within(row, "provider-test"));
    await waitFor(() =>
      expect(all("provider-tested")[0]!.textContent).toContain("Openai has no API key"),
    );
    expect(input.value).toBe("sk-test");
    // The hint of the form says it, and nothing twice.
    expect((await find("key-hint")).textContent).toContain("no keyring");
    expect(all("provider-tested")[0]!.textContent).not.toContain("Set the environment variable");
    await fireEvent.click(within(row, "key-button"));
    expect(all("provider-tested")[0]!.textContent).toContain(
      "Set the environment variable OPENAI_API_KEY",
    );
  });
});

test("a form keeps what was typed where saving fails", async () => {
  const row = await openai({
    failing: { provider_save: { code: "bad_request", message: "no such address", hint: null } },
  });
  await fireEvent.click([...row.querySelectorAll("button")].find((b) => b.textContent === "Edit")!);
  const form = await find("provider-form");
  const models = form.querySelector<HTMLInputElement>("#p-models")!;
  await fireEvent.input(models, { target: { value: "gpt-5-nano" } });
  await fireEvent.submit(form);
  await find("provider-refused");
  await fireEvent.click(within(row, "provider-test"));
  await find("provider-tested");
  expect(models.isConnected).toBe(true);
  expect(models.value).toBe("gpt-5-nano");
});
