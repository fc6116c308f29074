//! What can be chosen as provider and model, and what stands in the way.

import type { ModelRow, ProviderRow } from "../../../wire/wire";

/** The provider's own list first, then what the catalog knows of it. */
export function modelsOf(provider: ProviderRow, catalog: readonly ModelRow[]): string[] {
  if (provider.kind === "offline") return [];
  const known = catalog.filter((m) => m.provider === provider.name).map((m) => m.id);
  return [...new Set([...provider.models, ...known])];
}

/** What is missing before a call could be made; null when nothing is. */
export function keyNote(provider: ProviderRow): string | null {
  if (provider.key_state !== "missing") return null;
  return provider.key_env === null
    ? "No key is stored for it."
    : `No key: set ${provider.key_env} or store one.`;
}
