//! Figures and costs of the made-up ledgers.

import type * as W from "../../wire/wire";

const WAYS: Partial<Record<W.FactKind, W.Again>> = {
  user_request: "said",
  constraint: "said",
  path: "read",
  command: "run",
  error: "failed",
  symbol: "looked_up",
  number: "looked_up",
};

/** What it cost that dropped facts were needed: 400 tokens for each return. */
export function costsOf(facts: readonly W.FactView[]): W.CostView[] {
  const missed = facts.filter(
    (fact) => fact.status === "dropped" && !fact.in_kept_tail && fact.needed_later.length > 0,
  );
  const ways = new Map<W.Again, W.FactView[]>();
  for (const fact of missed) {
    const how = WAYS[fact.kind] ?? "told";
    ways.set(how, [...(ways.get(how) ?? []), fact]);
  }
  return [...ways].map(([how, own]) => {
    const entry_ids = [...new Set(own.flatMap((fact) => fact.needed_later))];
    const calls = how === "said" || how === "told" ? 0 : entry_ids.length;
    return {
      how,
      fact_ids: own.map((fact) => fact.id),
      entry_ids,
      calls,
      tokens: entry_ids.length * 400,
    };
  });
}

const READINGS: Partial<Record<W.FigureId, string>> = {
  compression: "Neither more nor less is better. Compare only summaries of one span by it.",
  regret: "Less is better.",
};

const isKept = (fact: W.FactView): boolean =>
  fact.status === "verbatim" || fact.status === "mentioned";

const value = (
  name: string,
  number: number,
  unit: W.FigureUnit,
  text: string,
  note = "",
): W.FigureValueView => ({ name, text, number, of: null, unit, note });

const line = (fact: W.FactView, note: string = fact.status): W.FigureLineView => ({
  text: fact.text,
  note,
  fact_id: fact.id,
  entry_id: fact.entry_ids[0] ?? null,
  range: fact.evidence[0] ?? null,
});

/** Some figures of a ledger, and one that was not measured. */
export function figuresOf(ledger: W.LedgerView): W.FiguresView {
  const names = ledger.facts.filter((fact) => ["path", "symbol", "command"].includes(fact.kind));
  const kept = names.filter(isKept);
  const missed = ledger.facts.filter((fact) => fact.needed_later.length > 0);
  const costs = costsOf(ledger.facts);
  const tokens = costs.reduce((sum, own) => sum + own.tokens, 0);
  const made = (
    figure: W.FigureId,
    code: string,
    title: string,
    definition: string,
    values: W.FigureValueView[],
    lines: W.FigureLineView[],
  ): W.FigureView => ({
    figure,
    code,
    title,
    definition,
    reading: READINGS[figure] ?? "More is better.",
    values,
    lines,
    total_lines: lines.length,
    absent: null,
  });
  const ratio = ledger.summary_tokens / ledger.span_tokens;
  const none = (figure: W.FigureId, code: string, title: string, absent: string): W.FigureView => ({
    ...made(figure, code, title, "What it measures.", [], []),
    absent,
  });
  return {
    figures: [
      made(
        "compression",
        "D1",
        "Compression ratio",
        "Tokens of the summary divided by the tokens of the summarized span, both by the agent's estimate; beside it the size of the context before and after.",
        [
          value("Summary by span", ratio, "share", `${(ratio * 100).toFixed(1)} %`),
          value("Summary", ledger.summary_tokens, "tokens", `${ledger.summary_tokens} tokens`),
        ],
        [],
      ),
      made(
        "identifier-recall",
        "D2",
        "Identifiers kept",
        "Of the paths, symbols, commands, errors and numbers of the span, those that the summary has in full, those that only the kept tail has, and those that neither has.",
        [
          {
            ...value("Identifiers", kept.length, "count", `${kept.length} of ${names.length}`),
            of: names.length,
          },
        ],
        names.map((fact) => line(fact)),
      ),
      made(
        "regret",
        "D11",
        "Dropped and needed later",
        "Dropped facts that the session came back to before the next compaction, with the calls and the tokens that this took.",
        [
          value("Dropped facts needed later", missed.length, "count", `${missed.length}`),
          value("Tokens of these", tokens, "tokens", `${tokens} tokens`),
        ],
        missed.map((fact) => ({ ...line(fact, "read again"), entry_id: fact.needed_later[0]! })),
      ),
      none(
        "chain-decay",
        "D14",
        "Kept over all compactions",
        "The facts are followed over all compactions on request.",
      ),
      none("judge", "M5", "Preference of a model", "A model is needed to answer or to judge."),
    ],
  };
}
