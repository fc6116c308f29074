//! The claims of a summary: what rules say, and beside it what a model said. Pure.

import type {
  ClaimSums,
  ClaimVerdict,
  ClaimView,
  FactSums,
  FactVerdict,
  FactView,
} from "../../../wire/wire";
import { count, percent } from "../../text/format";
import { FATES, type Look } from "../../ui/kinds";

export const CLAIMS: Record<ClaimVerdict, Look & { meaning: string }> = {
  supported: {
    glyph: "check",
    color: "kept",
    name: "Supported",
    meaning: "The entries say the same.",
  },
  contradicted: {
    glyph: "close",
    color: "dropped",
    name: "Contradicted",
    meaning: "The entries say the opposite.",
  },
  stale: {
    glyph: "tilde",
    color: "partial",
    name: "Stale",
    meaning: "It was so and changed later in the span.",
  },
  without_source: {
    glyph: "plus",
    color: "introduced",
    name: "Without a source",
    meaning: "No entry says anything about it.",
  },
  unchecked: { glyph: "minus", color: "ink-3", name: "Not checked", meaning: "No verdict." },
};

export const KEPT: Record<FactVerdict, Look> = {
  kept: { glyph: "check", color: "kept", name: "Kept" },
  partly: { glyph: "tilde", color: "partial", name: "Partly kept" },
  changed: { glyph: "pencil", color: "partial", name: "Changed" },
  dropped: { glyph: "close", color: "dropped", name: "Dropped" },
  unchecked: { glyph: "minus", color: "ink-3", name: "Not checked" },
};

const WRONG: ReadonlySet<ClaimVerdict> = new Set<ClaimVerdict>([
  "contradicted",
  "stale",
  "without_source",
]);

/** Which claims are shown. */
export type Shown = "wrong" | "differ" | "all";

export function isShown(claim: ClaimView, shown: Shown): boolean {
  if (shown === "all") return true;
  const model = claim.by_model?.verdict ?? "unchecked";
  if (shown === "differ") return claim.by_model?.differs ?? false;
  return WRONG.has(claim.verdict) || WRONG.has(model);
}

/** How many claims each choice shows. */
export const countsOf = (claims: readonly ClaimView[]): Record<Shown, number> => ({
  wrong: claims.filter((own) => isShown(own, "wrong")).length,
  differ: claims.filter((own) => isShown(own, "differ")).length,
  all: claims.length,
});

/** `12 supported, 1 contradicted`: sentences by the verdict of rules. */
export function byRules(claims: readonly ClaimView[]): string {
  const parts = (Object.keys(CLAIMS) as ClaimVerdict[]).flatMap((verdict) => {
    const n = claims.filter((own) => own.verdict === verdict).length;
    return n === 0 ? [] : [`${n} ${CLAIMS[verdict].name.toLowerCase()}`];
  });
  return `${count(claims.length, "sentence")}: ${parts.join(", ")}`;
}

const few = (parts: readonly (readonly [number, string])[]): string =>
  parts
    .filter(([n]) => n > 0)
    .map(([n, name]) => `${n} ${name}`)
    .join(", ");

/** `92 % of 40 statements supported; 1 contradicted, 2 not checked`. */
export function claimSums(sums: ClaimSums): string {
  if (sums.precision === null) return "No statement was checked";
  const checked = sums.supported + sums.contradicted + sums.stale + sums.without_source;
  const rest = few([
    [sums.contradicted, "contradicted"],
    [sums.stale, "stale"],
    [sums.without_source, "without a source"],
    [sums.unchecked, "not checked"],
  ]);
  const whole = `${percent(sums.precision)} of ${count(checked, "statement")} supported`;
  return rest === "" ? whole : `${whole}; ${rest}`;
}

/** `80 % of 60 facts kept; 3 partly, 9 dropped`. */
export function factSums(sums: FactSums): string {
  if (sums.recall === null) return "No fact was checked";
  const checked = sums.kept + sums.partly + sums.changed + sums.dropped;
  const rest = few([
    [sums.partly, "partly kept"],
    [sums.changed, "changed"],
    [sums.dropped, "dropped"],
    [sums.unchecked, "not checked"],
  ]);
  const whole = `${percent(sums.recall)} of ${count(checked, "fact")} kept`;
  return rest === "" ? whole : `${whole}; ${rest}`;
}

/** What rules say of a fact over the summary and the kept tail, as the model was asked. */
export function ofRules(fact: FactView): Look {
  const inSummary = fact.status === "verbatim" || fact.status === "mentioned";
  return fact.in_kept_tail && !inSummary
    ? { ...KEPT.kept, name: "In the kept tail" }
    : FATES[fact.status];
}

/** The facts whose verdict by the model says that something is lost, or differs from that of rules. */
export function lostByModel(facts: readonly FactView[]): FactView[] {
  return facts.filter(
    (fact) =>
      fact.by_model !== undefined &&
      (fact.by_model.differs || ["partly", "changed", "dropped"].includes(fact.by_model.verdict)),
  );
}
