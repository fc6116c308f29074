//! Providers and models to choose from, and what a provider still needs.

import type { ModelRow, PlanView, ProviderRow } from "../../../wire/wire";
import type { App } from "../../state/app.svelte";

/**
 * The models of a provider, the newest version first. A provider that the user set up keeps the
 * user's order.
 */
export function modelsOf(provider: ProviderRow, catalog: readonly ModelRow[]): string[] {
  if (provider.kind === "offline") return [];
  const known = catalog.filter((m) => m.provider === provider.name).map((m) => m.id);
  const all = [...new Set([...provider.models, ...known])];
  if (provider.custom) return all;
  const versions = new Map(all.map((id) => [id, versionOf(id)]));
  return all.sort((a, b) => versions.get(b)! - versions.get(a)!);
}

/**
 * The version in the name of a model: 5.5 of `claude-opus-5-5`, 4.1 of `gpt-4.1-mini`; 0 where the
 * name has none. Numbers of three digits and more are dates and sizes.
 */
export function versionOf(id: string): number {
  const found = /(?<![\d.])(\d{1,2})(?:[.-](\d{1,2}))?(?![\d.]|b\b)/.exec(id);
  if (!found) return 0;
  return Number(found[1]) + Number(found[2] ?? 0) / 100;
}

/** True where the plan has calls that a provider answers. */
const callsOut = (plan: PlanView): boolean =>
  plan.calls.some((call) => call.worker === "model" || call.worker === "weak");

/** What is missing before plans can run on a provider, in a few words; null when nothing is. */
export function missing(
  provider: ProviderRow | undefined,
  model: string | null,
  plans: readonly PlanView[],
): "key" | "model" | null {
  if (provider === undefined || provider.kind === "offline" || !plans.some(callsOut)) return null;
  if (provider.key_state === "missing") return "key";
  return provider.kind !== "command" && (model ?? "").trim() === "" ? "model" : null;
}

/** Why the run button is disabled. */
export const LACKS: Record<"key" | "model", (provider: string) => string> = {
  key: (provider) => `Add an API key for ${provider}`,
  model: () => "Choose a model",
};

/** Leads to where the missing thing is entered. */
export function provide(app: Pick<App, "openSettings">, what: "key" | "model"): void {
  if (what === "key") return app.openSettings("providers");
  document.querySelector<HTMLElement>("[data-testid=model]")?.focus();
}

/** What a provider needs before it can be called; null when nothing is missing. */
export function keyNote(provider: ProviderRow): string | null {
  if (provider.key_state !== "missing") return null;
  return provider.key_env === null
    ? "No API key is stored."
    : `No API key. Set the environment variable ${provider.key_env} before Palimpsest starts, or store a key.`;
}
