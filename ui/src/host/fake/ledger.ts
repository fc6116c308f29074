//! Facts, plans, runs and comparisons of the made-up session.

import type * as W from "../../wire/wire";
import { STORY_START_MS, type FakeEntry } from "./teller";
import { claimsOf } from "./claims";
import { diff } from "./diff";
import { costsOf, figuresOf } from "./figures";
import { markdown } from "./rows";
import { entries, taleOf, taleWith } from "./tree";
import { plan, shownText } from "./plan";

const FACTS: [W.FactKind, string, number][] = [
  ["user_request", "Find out why and fix it", 6],
  ["constraint", "Do not change the wire format of RetryEnvelope", 8],
  ["constraint", "Keep the backoff ceiling at 30 s", 8],
  ["path", "src/queue/retry.rs", 4],
  ["path", "src/queue/backoff.rs", 3],
  ["path", "tests/restart.rs", 2],
  ["path", "src/report/dead_letter.rs", 4],
  ["symbol", "RetryEnvelope", 3],
  ["symbol", "acks.send", 1],
  ["symbol", "flush()", 2],
  ["command", "cargo test -p courier-queue restart", 4],
  ["error", "error[E0502]: cannot borrow `self.store` as mutable", 5],
  ["number", "14 passed", 1],
  ["number", "4801", 2],
  ["decision", "a restart between the two loses the batch", 3],
  ["todo", "Next is the `--since` option", 3],
];

/** Figures were only said in passing. */
const isMinor = (kind: W.FactKind): boolean => kind === "number";

/** The question that a lost fact of this story answers. */
function concernOf(kind: W.FactKind, needed: boolean): W.Concern {
  if (kind === "user_request" || kind === "constraint") return "own";
  if (needed) return "missed";
  return ["decision", "error", "path", "todo"].includes(kind) ? "risk" : "rest";
}

export function spanOf(compaction: string): FakeEntry[] {
  const tale = taleWith(compaction);
  const entry = tale.find(compaction);
  const before = tale.contextEntries(entry.parent ?? tale.leaf);
  const kept = before.findIndex((e) => e.id === entry.kept);
  return kept > 0 ? before.slice(0, kept) : before.slice(0, Math.floor(before.length * 0.7));
}

/** The ledger's id says how to make it again: the span's compaction and the summary's text. */
const made = new Map<string, { span: FakeEntry[]; facts: W.FactView[] }>();

export function ledgerOf(
  id: string,
  compaction: string,
  summary: string,
  title: string,
): W.LedgerView {
  const tale = taleWith(compaction);
  const span = spanOf(compaction);
  const after = tale
    .path(tale.leaf)
    .slice(tale.path(tale.leaf).findIndex((e) => e.id === compaction) + 1);
  const facts = FACTS.flatMap(([kind, text, weight], n): W.FactView[] => {
    const where = span.flatMap((e, i) =>
      shownText(e).toLowerCase().includes(text.toLowerCase()) ? [i] : [],
    );
    if (where.length === 0) return [];
    const at = summary.toLowerCase().indexOf(text.toLowerCase());
    const base = text.split("/").at(-1)!;
    const loose = at < 0 && base !== text ? summary.indexOf(base) : -1;
    const half = at < 0 && loose < 0 && text.length > 24 ? summary.indexOf(text.slice(4, 16)) : -1;
    const status =
      at >= 0 ? "verbatim" : loose >= 0 ? "mentioned" : half >= 0 ? "partial" : "dropped";
    const start = Math.max(at, loose, half);
    const length = at >= 0 ? text.length : loose >= 0 ? base.length : 12;
    const again = after.filter(
      (e) =>
        shownText(e).toLowerCase().includes(text.toLowerCase()) ||
        (kind === "constraint" && e.text.includes("30 s") && text.includes("30 s")),
    );
    const in_kept_tail = n % 7 === 3;
    const needed_later =
      status === "dropped" || status === "partial" ? again.map((e) => e.id).slice(0, 4) : [];
    return [
      {
        id: `f${n}`,
        kind,
        text,
        entry_ids: where.map((i) => span[i]!.id),
        status,
        evidence: start >= 0 ? [{ start, end: start + length }] : [],
        needed_later,
        missed: status === "dropped" && !in_kept_tail && needed_later.length > 0,
        count: where.length,
        weight,
        in_kept_tail,
        concern:
          status === "dropped" && !in_kept_tail ? concernOf(kind, needed_later.length > 0) : "rest",
        first_item: where[0]!,
        file_role: kind === "path" ? "edited" : null,
        task: kind === "todo" ? "open" : null,
        generation: 0,
        answers: null,
        missing: status === "partial" ? [text.slice(-8)] : [],
        difference: null,
        minor: isMinor(kind),
        may_be_told: false,
        may_be_told_at: null,
        in_another_language: false,
      },
    ];
  });
  const introduced = ["about 4 %", "metrics crate"].flatMap((text): W.IntroducedView[] => {
    const start = summary.indexOf(text);
    return start < 0
      ? []
      : [{ kind: text.includes("%") ? "number" : "symbol", text, start, end: start + text.length }];
  });
  made.set(id, { span, facts });
  const before = tale
    .path(compaction)
    .filter((e) => e.kind === "compaction" && e.id !== compaction)
    .at(-1);
  const span_tokens = span.reduce((n, e) => n + e.tokens, 0);
  return {
    ledger_id: id,
    facts,
    introduced,
    totals: totals(facts, introduced.length, summary.length / 4 / span_tokens),
    concerns: concernsOf(facts),
    summary,
    summary_tokens: Math.ceil(summary.length / 4),
    span_tokens,
    source_items: span.length,
    previous_summary: before?.text ?? null,
    previous_diff: before ? diff(before.text, summary) : [],
    title,
    first_kept_id: tale.find(compaction).kept ?? null,
    incomplete: null,
    claims: claimsOf(summary),
    flags: [],
    later_entries: 40,
    kept_prompts: 0,
    reorientation: null,
    named_and_read_again: namedOf(facts),
    costs: costsOf(facts),
    sections: [...summary.matchAll(/^(#+) (.+)$/gm)].map((m) => ({
      title: m[2]!,
      level: m[1]!.length,
      start: m.index,
      empty: summary
        .slice(m.index + m[0].length)
        .trimStart()
        .startsWith("- (none)"),
    })),
  };
}

/** One file that the summary names was read again. */
function namedOf(facts: W.FactView[]): W.CostView | null {
  const file = facts.find(({ kind, status }) => kind === "path" && status !== "dropped");
  return file === undefined
    ? null
    : { how: "read", fact_ids: [file.id], entry_ids: [], calls: 1, tokens: 900 };
}

function concernsOf(facts: W.FactView[]): W.ConcernCounts {
  const of = (concern: W.Concern): number =>
    facts.filter((fact) => fact.concern === concern).length;
  return {
    said: facts.filter(({ kind }) => kind === "user_request" || kind === "constraint").length,
    own: of("own"),
    missed: of("missed"),
    risk: of("risk"),
    model: of("model"),
    rest: of("rest"),
  };
}

/** The overall score of a made-up summary: its parts by the fixed share of facts. */
function overallOf(retention: number | null): W.OverallScore | undefined {
  if (retention === null) return undefined;
  const own_words = 0.7;
  const parts = { state: 0.5, facts: retention, own_words, correctness: 0.95 };
  const mean = (parts.state + parts.facts) / 2;
  return { score: mean * own_words * parts.correctness, parts };
}

const scored = (retention: number | null): Pick<W.RunRow, "score"> => {
  const score = overallOf(retention);
  return score === undefined ? {} : { score };
};

export function totals(facts: W.FactView[], introduced: number, ratio: number): W.LedgerTotals {
  const by_kind: W.LedgerTotals["by_kind"] = {};
  let kept = 0;
  let all = 0;
  for (const fact of facts) {
    const counts = (by_kind[fact.kind] ??= {
      verbatim: 0,
      mentioned: 0,
      changed: 0,
      partial: 0,
      dropped: 0,
    });
    counts[fact.status as keyof W.FateCounts] += 1;
    if (fact.minor) continue;
    all += fact.weight;
    kept += fact.weight * (fact.status === "dropped" ? 0 : fact.status === "partial" ? 0.5 : 1);
  }
  return {
    by_kind,
    retention: all === 0 ? 1 : kept / all,
    compression_ratio: ratio,
    coverage: 0.71,
    density: 3.4,
    needed_later: facts.filter((f) => f.needed_later.length > 0).length,
    facts: facts.length,
    introduced,
  };
}

export function ledgerSource(request: W.LedgerSourceRequest): W.LedgerSourcePage {
  const ledger = made.get(request.ledger_id);
  if (!ledger) return { total: 0, offset: 0, items: [] };
  const items = ledger.span
    .slice(request.offset, request.offset + request.limit)
    .map((e): W.SourceItem => {
      const text = shownText(e);
      const marks: W.FactMark[] = [];
      for (const fact of ledger.facts) {
        const start = text.toLowerCase().indexOf(fact.text.toLowerCase());
        const end = start + fact.text.length;
        if (start >= 0 && !marks.some((m) => start < m.end && m.start < end))
          marks.push({ start, end, fact_id: fact.id, status: fact.status });
      }
      return {
        entry_id: e.id,
        role: e.role ?? "user",
        tool_name: e.tool ?? null,
        is_error: false,
        rejected: false,
        text,
        marks: marks.sort((a, b) => a.start - b.start),
        tokens: e.tokens,
      };
    });
  return { total: ledger.span.length, offset: request.offset, items };
}

/** How many runs were made: ids of deleted ones are not given again. */
let counted = 0;
const runs = new Map<string, { row: W.RunRow; view: W.RunView; compaction: string }>();
const usage = (input: number, output: number, cost: number | null): W.UsageView => ({
  input,
  output,
  cache_read: 0,
  cache_write: 0,
  total: input + output,
  cost_usd: cost,
  cost_computed: false,
});

export function makeRun(
  request: W.CompactRequest,
  summary: string,
  status: W.RunStatus,
  at = Date.now(),
): W.RunView {
  const planned = plan(request);
  const tale = taleOf(request.session);
  const stood = tale.find(request.at);
  const compaction =
    stood.kind === "compaction" ? stood.id : tale.entries.find((e) => e.kind === "compaction")!.id;
  const run_id = `r${(0x51c0 + counted++ * 977).toString(16)}`;
  const ledger =
    status === "done"
      ? ledgerOf(
          `run:${run_id}`,
          compaction,
          summary,
          `${planned.strategy}, ${request.provider ?? "offline"}`,
        )
      : null;
  const used = usage(
    planned.calls[0]?.input_tokens ?? 0,
    Math.ceil(summary.length / 4),
    request.provider === "offline" || request.provider === null ? 0 : 0.0398,
  );
  const row: W.RunRow = {
    run_id,
    kind: planned.branch ? "branch_summary" : "compaction",
    session: request.session,
    at: planned.at,
    status,
    error:
      status === "failed" ? "The provider answered 529 three times; the last wait was 8 s." : null,
    strategy: planned.strategy,
    provider: request.provider ?? "offline",
    model: request.model,
    instructions: request.instructions,
    started_at: at,
    elapsed_ms: 340 + runs.size * 4_210,
    summary_tokens: Math.ceil(summary.length / 4),
    usage: used,
    ...scored(ledger?.totals.retention ?? null),
    retention: ledger?.totals.retention ?? null,
    needed_later: ledger?.totals.needed_later ?? null,
    ...(status !== "done" && summary !== "" ? { partial: summary } : {}),
    ...(stood.kind === "compaction" && request.redo ? { again: stood.id } : {}),
    differs:
      request.instructions === null
        ? []
        : [
            {
              key: "prompts.instructions",
              label: "Custom instructions",
              value: request.instructions,
            },
          ],
  };
  const view: W.RunView = {
    row,
    kind: row.kind,
    common_ancestor_id: planned.common_ancestor_id,
    run_id,
    plan: planned,
    summary,
    blocks: markdown(summary),
    calls: [
      {
        purpose: "history",
        usage: used,
        elapsed_ms: row.elapsed_ms,
        stop_reason: "stop",
        reply: summary,
        retries: 0,
      },
    ],
    usage: used,
    cost_usd: used.cost_usd,
    elapsed_ms: row.elapsed_ms,
    ledger: ledger?.totals ?? null,
    files: planned.files,
  };
  runs.set(run_id, { row, view, compaction });
  return view;
}
export const runRows = (session: string): W.RunRow[] =>
  [...runs.values()]
    .map((r) => r.row)
    .filter((row) => row.session === session)
    .reverse();
/** The runs whose id begins as was typed. */
export const namedRuns = (typed: string): W.NamedHit[] =>
  [...runs.values()]
    .map((r) => r.row)
    .filter((row) => typed.length >= 4 && row.run_id.startsWith(typed))
    .map((row) => ({
      kind: "run",
      id: row.run_id,
      session: row.session,
      title: "Retry failed deliveries",
      about: `${row.strategy}, ${row.status}`,
      shown_id: null,
      has_summary: row.status === "done",
      timestamp: row.started_at,
    }));
export const runOf = (id: string): W.RunView => (runs.get(id) ?? [...runs.values()][0]!).view;
export const deleteRun = (id: string): boolean => runs.delete(id);
export function noteRun(id: string, name: string, note: string): void {
  const run = runs.get(id);
  if (!run) return;
  const row = { ...run.row };
  delete row.name;
  delete row.note;
  if (name !== "") row.name = name;
  if (note !== "") row.note = note;
  runs.set(id, { ...run, row, view: { ...run.view, row } });
}
export const runLedger = (id: string): W.LedgerView => {
  const run = runs.get(id) ?? [...runs.values()][0]!;
  return ledgerOf(`run:${id}`, run.compaction, run.view.summary, `Run ${id}`);
};

/** The compaction whose span a summary stands for. */
function compactionOf(of: string): string {
  return of.startsWith("entry:") ? of.slice("entry:".length) : runs.get(of)!.compaction;
}
export const draftOf = (of: string, text: string): W.LedgerView =>
  ledgerOf(`draft:${of}`, compactionOf(of), text, "Edited summary");
export const textsOf = (of: string, facts: readonly string[]): string[] =>
  draftOf(of, "")
    .facts.filter((fact) => facts.includes(fact.id))
    .map((fact) => fact.text);
export function insertInto(request: W.SummaryInsertRequest): W.SummaryInserted {
  let text = request.text.trimEnd();
  const ranges = textsOf(request.of, request.facts).map((fact) => {
    text += `\n- ${fact}`;
    return { start: text.length - fact.length, end: text.length };
  });
  return { text, ranges };
}
export function keepEdited(request: W.SummaryKeepRequest): W.RunView {
  const compaction = compactionOf(request.of);
  const entry = request.of.startsWith("entry:") ? compaction : null;
  const ledger = draftOf(request.of, request.text);
  const made = makeRun(
    { session: request.session, at: compaction, set: {}, provider: "by hand" } as W.CompactRequest,
    request.text,
    "done",
  );
  const row: W.RunRow = {
    ...made.row,
    strategy: "edited",
    model: null,
    ...scored(ledger.totals.retention),
    retention: ledger.totals.retention,
    needed_later: ledger.totals.needed_later,
    edited: { run: entry === null ? request.of : null, entry },
  };
  const view = { ...made, row, calls: [], ledger: ledger.totals };
  runs.set(made.run_id, { row, view, compaction });
  return view;
}

export const figuresNamed = (of: string): W.FiguresView =>
  figuresOf(draftOf(of, runs.get(of)?.view.summary ?? ownText(of)));
/** The summary that an entry of the made-up session holds. */
const ownText = (of: string): string => taleWith(of.slice(6)).find(of.slice(6)).text;

export function chainOf(request: W.ChainRequest): W.ChainView {
  const tale = taleOf(request.session);
  const path = tale.path(request.at ?? tale.leaf).filter((e) => e.kind === "compaction");
  const ledgers = path.map((e) => ledgerOf(`entry:${e.id}`, e.id, e.text, "own"));
  const facts = FACTS.flatMap(([kind, text, weight]): W.ChainFact[] => {
    const born = ledgers.findIndex((ledger) => ledger.facts.some((f) => f.text === text));
    if (born < 0) return [];
    const cells: W.ChainCellView[] = [];
    for (const ledger of ledgers.slice(born)) {
      const fact = ledger.facts.find((f) => f.text === text);
      const kept = ledger.summary.toLowerCase().includes(text.toLowerCase());
      cells.push({
        status: fact?.status ?? (kept ? "verbatim" : "dropped"),
        said: fact !== undefined,
        in_kept_tail: false,
        needed_later: fact?.needed_later ?? [],
      });
      if (cells.at(-1)!.status === "dropped") break;
    }
    const died = cells.at(-1)!.status === "dropped" ? born + cells.length - 1 : null;
    return [
      {
        kind,
        text,
        entry_id: ledgers[born]!.facts.find((f) => f.text === text)!.entry_ids[0]!,
        file_role: kind === "path" ? "edited" : null,
        weight,
        born,
        died,
        cells,
      },
    ];
  }).filter(
    (fact) =>
      (request.kind === null || fact.kind === request.kind) &&
      (!request.lost || fact.died !== null) &&
      (!request.needed || fact.cells.some((cell) => cell.needed_later.length > 0)),
  );
  return {
    compactions: path.map((e, n) => ({
      entry_id: e.id,
      timestamp: null,
      trigger: "auto",
      summary_tokens: ledgers[n]!.summary_tokens,
      incomplete: false,
      born: facts.filter((f) => f.born === n).length,
      carried: 0,
      died: facts.filter((f) => f.died === n).length,
      needed: 0,
      first_share: 1 / (n + 1),
    })),
    total: facts.length,
    offset: 0,
    facts,
    kinds: [...new Set(FACTS.map(([kind]) => kind))],
  };
}

function side(name: string): { summary: W.ComparedSummary; facts: W.FactView[] } {
  const run = runs.get(name);
  const entry = name.startsWith("entry:") ? taleWith(name.slice(6)).find(name.slice(6)) : null;
  const ledger = run ? runLedger(name) : ledgerOf(name, entry!.id, entry!.text, "own");
  return {
    facts: ledger.facts,
    summary: {
      title: run
        ? `${run.row.strategy}, ${run.row.model ?? run.row.provider}`
        : "The session's own summary",
      run: run?.row ?? null,
      summary: ledger.summary,
      tokens: ledger.summary_tokens,
      totals: ledger.totals,
      cut: 0,
      claims: ledger.claims,
      score: score(ledger, run?.row ?? null),
    },
  };
}

/** The facts by where the next request holds them. */
function held(facts: readonly W.FactView[]): W.HeldCounts {
  const of = (status: W.Fate): number =>
    facts.filter((fact) => !fact.in_kept_tail && fact.status === status).length;
  const full = (fact: W.FactView): boolean =>
    fact.status === "verbatim" || fact.status === "mentioned";
  const in_summary = facts.filter(full).length;
  const in_tail = facts.filter((fact) => fact.in_kept_tail && !full(fact)).length;
  const [partial, changed, lost] = [of("partial"), of("changed"), of("dropped")];
  const share =
    facts.length > 0 ? (in_summary + in_tail + (partial + changed) / 2) / facts.length : null;
  return { facts: facts.length, in_summary, in_tail, partial, changed, lost, share };
}

function score(ledger: W.LedgerView, row: W.RunRow | null): W.SummaryScore {
  const kinds = [...new Set(ledger.facts.map((fact) => fact.kind))];
  return {
    overall: overallOf(ledger.totals.retention) ?? null,
    needed_later: held(ledger.facts.filter((fact) => fact.needed_later.length > 0)),
    by_kind: Object.fromEntries(
      kinds.map((kind) => [kind, held(ledger.facts.filter((fact) => fact.kind === kind))]),
    ),
    changed: ledger.facts.filter((fact) => fact.status === "changed").length,
    introduced: ledger.introduced.length,
    claims: null,
    summary_tokens: ledger.summary_tokens,
    next_tokens: ledger.summary_tokens + 18_300,
    calls: row ? 1 : null,
    cost_usd: row?.usage.cost_usd ?? null,
    elapsed_ms: row?.elapsed_ms ?? null,
  };
}

export function compare(request: W.CompareRequest): W.CompareView {
  const left = side(request.left);
  const right = side(request.right);
  const facts = left.facts.flatMap((fact): W.ComparedFact[] => {
    const other = right.facts.find((f) => f.id === fact.id)?.status ?? "dropped";
    return other === fact.status
      ? []
      : [
          {
            kind: fact.kind,
            text: fact.text,
            left: fact.status,
            right: other,
            needed_later: fact.needed_later.length > 0,
            entry_id: fact.entry_ids[0] ?? null,
          },
        ];
  });
  return {
    left: left.summary,
    right: right.summary,
    rows: diff(left.summary.summary, right.summary.summary),
    facts,
    same_fate: left.facts.length - facts.length,
    same_cut: true,
  };
}

export function compareAll(request: W.CompareAllRequest): W.CompareAllView {
  const sides = request.sides.map(side);
  const all = new Map(sides.flatMap((own) => own.facts.map((fact) => [fact.id, fact] as const)));
  const fates = [...all.values()].map((fact): W.FatesView => ({
    kind: fact.kind,
    text: fact.text,
    fates: sides.map((own) => own.facts.find((f) => f.id === fact.id)?.status ?? null),
    in_tail: sides.map((own) => own.facts.find((f) => f.id === fact.id)?.in_kept_tail ?? false),
    needed_later: fact.needed_later.length > 0,
    entry_id: fact.entry_ids[0] ?? null,
  }));
  const known = fates.filter((fact) => fact.fates.filter((own) => own !== null).length > 1);
  const facts = known.filter((fact) => new Set(fact.fates.filter((own) => own !== null)).size > 1);
  return {
    sides: sides.map((own) => own.summary),
    facts,
    same_fate: known.length - facts.length,
    cuts: [
      {
        at: null,
        sides: sides.map((_, n) => n),
        entries: 120,
        facts: all.size,
        needed_later: [...all.values()].filter((fact) => fact.needed_later.length > 0).length,
        incomplete: null,
      },
    ],
    settings: differingOf(sides.map((own) => own.summary.run)),
  };
}

/** The settings in which some runs differ; null is a side without one. */
function differingOf(runs: readonly (W.RunRow | null)[]): W.DifferingSetting[] {
  const all: [string, string, (run: W.RunRow) => string | null][] = [
    ["strategy", "Strategy", (run) => run.strategy],
    ["provider", "Provider", (run) => run.provider],
    ["model", "Model", (run) => run.model],
    ["prompts.instructions", "Custom instructions", (run) => run.instructions],
  ];
  return all.flatMap(([key, label, of]) => {
    const values = runs.map((run) => (run === null ? null : of(run)));
    const own = values.filter((_, n) => runs[n] !== null);
    if (new Set(own).size < 2) return [];
    return [{ key, label, values, texts: key.startsWith("prompts.") ? values : [] }];
  });
}

const OFFLINE = `## Goal
The courier retry queue loses messages when the broker restarts. Find out why and fix it.

## Constraints & Preferences
- Do not change the wire format of RetryEnvelope, other teams parse it.
- Keep the backoff ceiling at 30 s.

## Progress
### Done
- [x] Edited src/queue/retry.rs and src/queue/backoff.rs.
- [x] \`cargo test -p courier-queue restart\`: 14 passed.

### In Progress
- [ ] Dead-letter report in src/report/dead_letter.rs.

## Key Decisions
- A restart between the two loses the batch, so the acknowledgement comes after flush().

## Critical Context
- The staging broker closes with 4801.
- error[E0502]: cannot borrow \`self.store\` as mutable (fixed by taking the batch first)`;
export const offlineSummary = (instructions: string | null): string =>
  instructions ? `${OFFLINE}\n\n## As asked\n- ${instructions}` : OFFLINE;

const own = entries.filter((e) => e.kind === "compaction").at(-1)!;
const asked = {
  session: "s1",
  at: own.id,
  redo: true,
  set: {},
  instructions: null,
  replace_prompt: false,
  stream: null,
};
makeRun(
  { ...asked, strategy: "pi", provider: "anthropic", model: "claude-haiku-4-5" },
  own.text.replace("about 4 %", "4.1 %").replace("- (none)", "- Staging access"),
  "done",
  STORY_START_MS + 3.6e6,
);
makeRun(
  { ...asked, strategy: "pi", provider: "openai", model: "gpt-5-mini" },
  "## Goal\nStop the",
  "failed",
  STORY_START_MS + 5e6,
);
makeRun(
  { ...asked, strategy: "extract", provider: "offline", model: null },
  OFFLINE,
  "done",
  STORY_START_MS + 7.2e6,
);

/** What a made-up summary lost: the facts themselves, each on a line. */
export function putBack(request: W.PutBackRequest): W.PutBackView {
  const ledger = request.run
    ? runLedger(request.run)
    : ledgerOf(`entry:${own.id}`, request.compaction ?? own.id, own.text, "own");
  const lost = ledger.facts.filter((fact) =>
    request.facts ? request.facts.includes(fact.id) : fact.status === "dropped",
  );
  const text = lost.map((fact) => `> ${fact.text}`).join("\n");
  return {
    text,
    tokens: Math.ceil(text.length / 4),
    fact_ids: lost.map((fact) => fact.id),
    left_out_ids: [],
  };
}
