//! Providers and models to choose from, and what a provider still needs.

import type { ModelRow, ProviderRow } from "../../../wire/wire";

/** The provider's own list first, then what the catalog knows of it. */
export function modelsOf(provider: ProviderRow, catalog: readonly ModelRow[]): string[] {
  if (provider.kind === "offline") return [];
  const known = catalog.filter((m) => m.provider === provider.name).map((m) => m.id);
  return [...new Set([...provider.models, ...known])];
}

/** What a provider needs before it can be called; null when nothing is missing. */
export function keyNote(provider: ProviderRow): string | null {
  if (provider.key_state !== "missing") return null;
  return provider.key_env === null
    ? "No API key is stored."
    : `No API key: set ${provider.key_env} or store a key.`;
}
