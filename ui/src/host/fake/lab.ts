import type * as W from "../../wire/wire";

const CUTS: W.CutView[] = [1, 2, 3, 4].map((n) => ({
  session: `/home/ada/sessions/${n}.jsonl`,
  title: `Retry queue, part ${n}`,
  agent: n % 2 === 0 ? "pi" : "claude-code",
  entry: `e${n}`,
  to: null,
  stored: true,
  hash: `${n}`.repeat(16),
}));

const NAMES = ["as it is", "ten lines"] as const;

const spread = (mean: number): W.LabSpread => ({
  cuts: CUTS.length,
  mean,
  deviation: 0.12,
  repeat_deviation: 0.04,
});

const figures = (row: number): Record<string, number> => ({
  needed_later: 0.8 - row * 0.1,
  "retention.constraint": 0.9 - row * 0.2,
  summary_tokens: 900 - row * 500,
  next_tokens: 19_200 - row * 500,
});

const sets = new Map<string, W.CutSetView>();

/** An experiment with two rows over four cuts. */
export const lab: W.LabView = {
  lab_id: "1ab0c0ffee15",
  name: "shorter instructions",
  complete: true,
  cuts: CUTS,
  rows: NAMES.map((name, row) => ({
    name,
    strategy: "pi",
    done: 8,
    failed: 0,
    figures: Object.fromEntries(Object.entries(figures(row)).map(([k, v]) => [k, spread(v)])),
  })),
  differences: Object.entries(figures(1)).map(([metric, value]) => ({
    row: NAMES[1],
    versus: NAMES[0],
    metric,
    cuts: CUTS.length,
    mean: value - figures(0)[metric]!,
    low: value - figures(0)[metric]! - 0.08,
    high: value - figures(0)[metric]! + 0.08,
  })),
  verdicts: [
    {
      row: NAMES[1],
      versus: NAMES[0],
      metric: "needed_later",
      at_least: -0.05,
      at_most: null,
      found: -0.1,
      met: false,
    },
  ],
  met: false,
  cells: CUTS.flatMap((_, cut) =>
    NAMES.flatMap((_, row) =>
      [0, 1].map((repeat): W.LabCellView => ({
        row,
        cut,
        repeat,
        state: "done",
        run_id: null,
        error: null,
        sent: 1,
        lost: 0,
        figures: figures(row),
      })),
    ),
  ),
  sent: 16,
  lost: 0,
  spent_usd: 0.14,
  started_at: 1_795_400_000_000,
  finished_at: 1_795_400_060_000,
};

export const plan: W.LabPlanView = {
  lab_id: lab.lab_id,
  name: lab.name,
  cuts: CUTS,
  rows: NAMES.map((name) => ({ name, calls: 8, cost_usd: 0.07, without_plan: 0 })),
  cells: 16,
  ended: 0,
  calls: 16,
  cost_usd: 0.14,
  budget_usd: 2,
};

export const cutSets = (): W.CutSetView[] => [...sets.values()];

export function saveCutSet(request: W.CutSetSaveRequest): W.CutSetView {
  const set = { name: request.name, query: request.query, cuts: CUTS, made_at: 1_795_400_000_000 };
  sets.set(set.name, set);
  return set;
}

export const deleteCutSet = (name: string): boolean => sets.delete(name);
