//! Where the API key of a provider comes from, and what to do where it is missing. Pure.

import type { KeyState, ProviderRow, WireError } from "../../wire/wire";

const KEYS: Record<KeyState, string> = {
  none_needed: "no API key needed",
  environment: "API key from the environment",
  keyring: "API key in the keyring",
  missing: "API key missing",
};

/** Where the key comes from, in a few words. */
export function keyName(row: Pick<ProviderRow, "key_env" | "key_state">): string {
  if (row.key_env) {
    if (row.key_state === "environment") return `${KEYS.environment} (${row.key_env})`;
    // A server on this machine gets the key of its variable where that is set.
    if (row.key_state === "none_needed") return `no API key needed; ${row.key_env} is used if set`;
  }
  return KEYS[row.key_state] ?? row.key_state;
}

/** The environment of a program is fixed once it runs. */
const AT_START = "Palimpsest reads the variable only when it starts";

/** How a key is given; `noKeyring` where no keyring answers on this machine. */
export function keyHint(row: Pick<ProviderRow, "key_env">, noKeyring: boolean): string {
  const variable = row.key_env;
  if (noKeyring)
    return variable === null
      ? `This machine has no keyring that can store a key. Choose Edit and enter the name of an environment variable, set it to the key, then start Palimpsest again: ${AT_START}.`
      : `This machine has no keyring that can store a key. Set the environment variable ${variable} to the key, then start Palimpsest again: ${AT_START}.`;
  return variable === null
    ? "The key is stored in the system keyring."
    : `The key is stored in the system keyring. Or set the environment variable ${variable} to the key, then start Palimpsest again: ${AT_START}.`;
}

/** True where an error says that no keyring answers. */
export function lacksKeyring(error: Pick<WireError, "next">): boolean {
  const { next } = error;
  return next?.kind === "unlock_keyring" || (next?.kind === "set_key" && next.no_keyring);
}
