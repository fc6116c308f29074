//! A made-up lab: sets of cuts, and experiments whose cells end one after another.

import type * as W from "../../wire/wire";
import { HostError } from "../types";
import * as L from "./ledger";
import { entries } from "./tree";

const BEGAN = 1_795_400_000_000;
const compactions = entries.filter((own) => own.kind === "compaction");

const cutOf = (entry: string, n: number): W.CutView => ({
  session: `/home/ada/sessions/${n}.jsonl`,
  session_id: "s1",
  title: `Retry queue, part ${n}`,
  agent: n % 2 === 0 ? "pi" : "claude-code",
  entry,
  to: null,
  stored: true,
  hash: `${n % 10}`.repeat(16),
});
const CUTS = [1, 2, 3, 4].map((n) => cutOf(compactions[n % compactions.length]!.id, n));

const NAMES = ["as it is", "ten lines"] as const;
const PARTS: W.LabParts = {
  name: "shorter instructions",
  set: "retry queue",
  rows: NAMES.map((name, n): W.LabRowSpec => ({
    name,
    strategy: "pi",
    set: n === 0 ? {} : { "select.keep_recent_tokens": 10_000 },
    instructions: n === 0 ? null : "At most ten lines.",
    replace_prompt: false,
    provider: "anthropic",
    model: "claude-haiku-4-5",
    repeats: 2,
  })),
  budget_usd: 2,
  concurrent: 4,
};

/** What a cell measures: a later row is shorter and loses more; cuts and repeats differ a little. */
const figuresOf = (row: number, cut: number, repeat: number): Record<string, number> => ({
  needed_later: 0.8 - row * 0.1 - cut * 0.02,
  "retention.constraint": 0.9 - row * 0.2 - repeat * 0.03,
  "retention.path": 0.6 - cut * 0.05,
  contradicted: row,
  summary_tokens: 900 - row * 500 + cut * 10,
  next_tokens: 19_200 - row * 500,
  calls: 1,
  cost_usd: 0.009 - row * 0.002,
  elapsed_ms: 8_400 - row * 3_000,
});

const mean = (values: readonly number[]): number =>
  values.reduce((sum, value) => sum + value, 0) / Math.max(1, values.length);

/** An experiment as it is kept. */
interface Begun {
  id: string;
  parts: W.LabParts;
  cuts: readonly W.CutView[];
  cells: W.LabCellView[];
  running: boolean;
  stop: boolean;
}

const isEnded = (cell: W.LabCellView): boolean => cell.state === "done" || cell.state === "failed";

function cellsOf(parts: W.LabParts, cuts: readonly W.CutView[]): W.LabCellView[] {
  return cuts.flatMap((_, cut) =>
    parts.rows.flatMap((spec, row) =>
      Array.from({ length: spec.repeats }, (_, repeat): W.LabCellView => ({
        row,
        cut,
        repeat,
        state: "waiting",
        run_id: null,
        error: null,
        sent: 0,
        lost: 0,
        figures: {},
      })),
    ),
  );
}

export class FakeLab {
  private readonly sets = new Map<string, W.CutSetView>();
  private readonly begun = new Map<string, Begun>();

  constructor(
    private readonly emit: (event: W.Event) => void,
    /** Milliseconds that a cell takes. */
    private readonly pace: number,
    empty: boolean,
  ) {
    if (empty) return;
    this.sets.set("retry queue", {
      name: "retry queue",
      query: "has:compaction retry",
      cuts: CUTS,
      made_at: BEGAN,
    });
    const complete = this.begin("1ab0c0ffee15", PARTS, CUTS);
    for (const cell of complete.cells) this.end(cell);
    const stopped = this.begin("2ab0c0ffee15", { ...PARTS, name: "longer tail" }, CUTS);
    stopped.cells.forEach((cell, n) => {
      if (n < 9) this.end(cell);
      if (n === 4) Object.assign(cell, { sent: 2, lost: 1 });
      if (n === 6) Object.assign(cell, { state: "failed", error: "529: overloaded", figures: {} });
    });
  }

  private begin(id: string, parts: W.LabParts, cuts: readonly W.CutView[]): Begun {
    const begun = { id, parts, cuts, cells: cellsOf(parts, cuts), running: false, stop: false };
    this.begun.set(id, begun);
    return begun;
  }
  private end(cell: W.LabCellView): void {
    cell.state = "done";
    cell.sent += 1;
    cell.run_id = L.runRows("s1").find((run) => run.status === "done")?.run_id ?? null;
    cell.figures = figuresOf(cell.row, cell.cut, cell.repeat);
  }

  cuts = (request: W.CutsRequest): W.CutView[] => CUTS.slice(0, request.limit);
  cutSets = (): W.CutSetView[] => [...this.sets.values()];
  save(request: W.CutSetSaveRequest): W.CutSetView {
    const cuts = CUTS.slice(0, request.limit ?? undefined);
    const set = { name: request.name, query: request.query, cuts, made_at: BEGAN };
    this.sets.set(set.name, set);
    return set;
  }
  add(request: W.CutSetCutsRequest): W.CutSetView {
    const known = this.sets.get(request.name);
    const kept = (known?.cuts ?? []).filter(
      (own) => !request.cuts.some((cut) => cut.entry === own.entry),
    );
    const added = request.cuts.map((cut, n) => cutOf(cut.entry, kept.length + n + 5));
    const set: W.CutSetView = {
      name: request.name,
      query: known?.query ?? null,
      cuts: [...kept, ...added],
      made_at: BEGAN,
    };
    this.sets.set(set.name, set);
    return set;
  }
  remove(request: W.CutSetCutsRequest): W.CutSetView {
    const known = this.named(request.name);
    const goes = (own: W.CutView): boolean =>
      request.cuts.some((cut) => cut.entry === own.entry && cut.session === own.session);
    const set = { ...known, cuts: known.cuts.filter((own) => !goes(own)) };
    this.sets.set(set.name, set);
    return set;
  }
  /** The second cut of the first set has changed. */
  changes(request: W.CutSetRequest): W.CutSetChanges {
    const why = "the session changed at this cut since the cut was stored";
    const changed = this.named(request.name).cuts.map((cut) =>
      request.name === "retry queue" && cut.title.endsWith("part 2") ? why : null,
    );
    return { changed };
  }
  delete(name: string): void {
    this.sets.delete(name);
  }
  private named(name: string): W.CutSetView {
    const set = this.sets.get(name);
    if (!set)
      throw new HostError({
        code: "not_found",
        message: `there is no set of cuts '${name}'`,
        hint: null,
      });
    return set;
  }

  plan(request: W.LabRequest): W.LabPlanView {
    const { parts, cuts, id, cells } = this.described(request);
    const ended = cells.filter(isEnded).length;
    const rows = parts.rows.map((row) => {
      const offline = row.provider === null || row.provider === "offline";
      const calls = offline ? 0 : row.repeats * cuts.length;
      return {
        name: row.name,
        calls,
        cost_usd: calls * 0.009,
        without_plan: offline ? 1 : 0,
        without_plan_reasons: offline ? [{ reason: "the session is empty", cuts: 1 }] : [],
      };
    });
    return {
      lab_id: id,
      name: parts.name,
      cuts: [...cuts],
      rows,
      cells: cells.length,
      ended,
      calls: rows.reduce((sum, row) => sum + row.calls, 0),
      cost_usd: rows.reduce((sum, row) => sum + row.cost_usd, 0),
      most_usd: rows.reduce((sum, row) => sum + row.cost_usd, 0),
      user_prices: false,
      budget_usd: parts.budget_usd,
    };
  }
  private described(request: W.LabRequest): Begun {
    if (request.lab !== null) return this.of(request.lab);
    const parts = request.parts!;
    const id = `3ab0c0ffee${parts.name.length.toString(16).padStart(2, "0")}`;
    const known = this.begun.get(id);
    if (known) return known;
    const { cuts } = this.named(parts.set ?? "");
    return { id, parts, cuts, cells: cellsOf(parts, cuts), running: false, stop: false };
  }
  private of(lab: string): Begun {
    const found =
      this.begun.get(lab) ?? [...this.begun.values()].find((own) => own.parts.name === lab);
    if (!found)
      throw new HostError({
        code: "not_found",
        message: `there is no experiment '${lab}'`,
        hint: null,
      });
    return found;
  }
  private tell(own: Begun, cell: W.LabCellView | null): void {
    this.emit({
      type: "lab_progress",
      lab_id: own.id,
      cells: own.cells.length,
      ended: own.cells.filter(isEnded).length,
      running: own.running,
      cell: cell && { row: cell.row, cut: cell.cut, repeat: cell.repeat, state: cell.state },
    });
  }
  async run(request: W.LabRequest): Promise<W.LabView> {
    const own = this.described(request);
    this.begun.set(own.id, own);
    Object.assign(own, { running: true, stop: false });
    this.tell(own, null);
    const again = (cell: W.LabCellView): boolean =>
      !isEnded(cell) || (request.retry_failed && cell.state === "failed");
    for (const cell of own.cells.filter(again)) {
      if (own.stop) break;
      Object.assign(cell, { state: "running", error: null });
      this.tell(own, cell);
      if (this.pace > 0) await new Promise((done) => setTimeout(done, this.pace));
      else await Promise.resolve();
      this.end(cell);
      this.tell(own, cell);
    }
    own.running = false;
    this.tell(own, null);
    return this.show(own.id);
  }
  cancel(stream: string): void {
    const own = this.begun.get(stream);
    if (own) own.stop = true;
  }

  show(lab: string): W.LabView {
    const own = this.of(lab);
    const of = (row: number): W.LabCellView[] =>
      own.cells.filter((cell) => cell.row === row && cell.state === "done");
    const means = (row: number): Record<string, number> =>
      Object.fromEntries(
        Object.keys(of(row)[0]?.figures ?? {}).map((key) => [
          key,
          mean(of(row).map((cell) => cell.figures[key] ?? 0)),
        ]),
      );
    const first = means(0);
    return {
      lab_id: own.id,
      name: own.parts.name,
      parts: own.parts,
      running: own.running,
      complete: own.cells.every(isEnded),
      cuts: [...own.cuts],
      rows: own.parts.rows.map((spec, row) => ({
        name: spec.name,
        strategy: spec.strategy,
        done: of(row).length,
        failed: own.cells.filter((cell) => cell.row === row && cell.state === "failed").length,
        figures: Object.fromEntries(
          Object.entries(means(row)).map(([key, value]): [string, W.LabSpread] => [
            key,
            {
              cuts: own.cuts.length,
              mean: value,
              deviation: Math.abs(value) * 0.12,
              repeat_deviation: spec.repeats > 1 ? Math.abs(value) * 0.04 : null,
            },
          ]),
        ),
      })),
      differences: own.parts.rows.slice(1).flatMap((spec, n) =>
        Object.entries(means(n + 1)).map(([metric, value]): W.LabDifference => {
          const difference = value - (first[metric] ?? 0);
          const reach = metric === "retention.path" ? 0.06 : Math.abs(difference) * 0.5 + 0.001;
          return {
            row: spec.name,
            versus: own.parts.rows[0]!.name,
            metric,
            cuts: own.cuts.length,
            mean: difference,
            low: difference - reach,
            high: difference + reach,
          };
        }),
      ),
      verdicts:
        own.parts.name === PARTS.name
          ? [
              {
                row: NAMES[1],
                versus: NAMES[0],
                metric: "needed_later",
                at_least: -0.05,
                at_most: null,
                found: -0.1,
                met: false,
              },
            ]
          : [],
      met: own.parts.name !== PARTS.name,
      cells: own.cells.map((cell) => ({ ...cell, figures: { ...cell.figures } })),
      sent: own.cells.reduce((sum, cell) => sum + cell.sent, 0),
      lost: own.cells.reduce((sum, cell) => sum + cell.lost, 0),
      spent_usd: own.cells.reduce((sum, cell) => sum + (cell.figures["cost_usd"] ?? 0), 0),
      started_at: BEGAN,
      finished_at: own.cells.every(isEnded) ? BEGAN + 60_000 : null,
    };
  }
  list(): W.LabListRow[] {
    return [...this.begun.values()].reverse().map((own) => ({
      lab_id: own.id,
      name: own.parts.name,
      cells: own.cells.length,
      ended: own.cells.filter(isEnded).length,
      failed: own.cells.filter((cell) => cell.state === "failed").length,
      running: own.running,
      started_at: BEGAN,
      finished_at: own.cells.every(isEnded) ? BEGAN + 60_000 : null,
    }));
  }
  deleteLab(lab: string): void {
    this.begun.delete(this.of(lab).id);
  }
  replay(lab: string): W.LabReplayView {
    const runs = this.of(lab).cells.filter((cell) => cell.state === "done").length;
    return { runs, same: runs };
  }
}
