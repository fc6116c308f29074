//! A host of made-up data, for component tests and for working on the window alone.

import type * as W from "../../wire/wire";
import { HostError, type Answer, type Command, type Host, type Params } from "../types";
import { diff } from "./diff";
import { branchCompare, branchesOf, contextRows } from "./branches";
import * as L from "./ledger";
import { judgedLedger } from "./claims";
import { FakeJudge } from "./judge";
import { FakeLab } from "./lab";
import * as P from "./plan";
import { policyList, policyReport } from "./policies";
import { entryView, fits, openView, raw, sessionRows, treeView } from "./rows";
import {
  countView,
  findView,
  NOT_WIDER,
  projectCounts,
  searchHits,
  SEARCH_FILTERS,
  sorted,
  widerSearch,
} from "./search";
import { FakeMarks } from "./marks";
import { taleOf } from "./tree";
import { FakePrompts } from "./prompts";
import { STAGE_KINDS, STRATEGIES } from "./strategies";
import { FakeWriting } from "./writing";

/** What a test may change about the made-up machine. */
export interface FakeOptions {
  /** No session has been indexed yet. */
  firstRun?: boolean;
  /** Sessions are there but none fits. */
  noSessions?: boolean;
  /** Milliseconds between the pieces of a streamed summary; 0 sends all in one go. */
  pace?: number;
  /** Milliseconds that a plan takes. */
  planPace?: number;
  /** Milliseconds that a cell of an experiment takes; 0 none. */
  labPace?: number;
  /** There are no sets of cuts and no experiments. */
  emptyLab?: boolean;
  /** What was stored by an earlier start. */
  settings?: Partial<W.Settings>;
  /** Reading a Coder server goes on until it is cancelled. */
  slowCoder?: boolean;
  /** Runs that an earlier page began. */
  running?: W.RunningRun[];
  /** Commands that fail, with what they answer. */
  failing?: Partial<Record<Command, W.WireError>>;
  /** What is different in the answers of some commands. */
  changed?: { [C in Command]?: (answer: Answer<C>) => Answer<C> };
}

export interface FakeHost extends Host {
  /** Every call so far, newest last. */
  readonly calls: { command: Command; params: unknown }[];
  /** Sends an event to everybody who listens. */
  emit(event: W.Event): void;
}

export function fakeHost(options: FakeOptions = {}): FakeHost {
  const heard = new Set<(event: W.Event) => void>();
  const writing = new FakeWriting();
  const calls: FakeHost["calls"] = [];
  const cancelled = new Set<string>();
  const pace = options.pace ?? 28;
  let settings: W.Settings = {
    roots: [],
    theme: "system",
    ui: null,
    provider: "offline",
    model: null,
    embeddings: null,
    ask_above_usd: null,
    ...options.settings,
  };
  const usual: W.ProviderLimits = {
    first_byte_s: null,
    silence_s: null,
    timeout_s: null,
    max_concurrent: null,
    max_retries: null,
  };
  let coderServers: W.CoderServer[] = [];
  let cancelCoder: (() => void) | null = null;
  let providers: W.ProviderRow[] = [
    {
      name: "offline",
      kind: "offline",
      base_url: "",
      key_env: null,
      key_state: "none_needed",
      models: [],
      command: [],
      limits: usual,
      prices: [],
      custom: false,
    },
    {
      name: "anthropic",
      kind: "anthropic",
      base_url: "https://api.anthropic.com",
      key_env: "ANTHROPIC_API_KEY",
      key_state: "environment",
      models: ["claude-haiku-4-5", "claude-sonnet-4-5"],
      command: [],
      limits: usual,
      prices: [],
      custom: false,
    },
    {
      name: "openai",
      kind: "openai",
      base_url: "https://api.openai.com/v1",
      key_env: "OPENAI_API_KEY",
      key_state: "missing",
      models: ["gpt-5-mini"],
      command: [],
      limits: usual,
      prices: [],
      custom: false,
    },
  ];
  const emit = (event: W.Event): void => heard.forEach((hear) => hear(event));
  const rows = (): W.SessionRow[] =>
    options.firstRun || options.noSessions ? [] : sessionRows().map((row) => called(marks.of(row)));
  /** Titles the user gave. */
  const titles = new Map<string, string | null>();
  const called = (row: W.SessionRow): W.SessionRow => {
    const title = titles.get(row.id);
    return title ? { ...row, title, renamed: true } : row;
  };

  async function compact(request: W.CompactRequest): Promise<W.RunView> {
    const stream = request.stream ?? "";
    const summary = L.offlineSummary(request.instructions);
    const pieces = summary.match(/[\s\S]{1,24}/g) ?? [];
    for (const [n, text] of pieces.entries()) {
      if (pace > 0) await new Promise((done) => setTimeout(done, pace));
      if (n === 6 && request.provider !== "offline" && request.provider !== null)
        emit({
          type: "run_retry",
          stream,
          attempt: 2,
          of: 4,
          wait_ms: 2_000,
          reason: "429: too many requests",
        });
      if (cancelled.has(stream)) {
        const view = L.makeRun(request, pieces.slice(0, n).join(""), "cancelled");
        emit({ type: "run_finished", stream, run_id: view.run_id, status: "cancelled" });
        throw new HostError({ code: "cancelled", message: "The run was cancelled.", hint: null });
      }
      emit({ type: "run_delta", stream, call: 0, purpose: "history", text });
    }
    const view = L.makeRun(request, summary, "done");
    emit({ type: "run_finished", stream, run_id: view.run_id, status: "done" });
    return view;
  }

  /** Strategies that the user made. */
  let custom: W.StrategyInfo[] = [];
  const prompts = new FakePrompts();
  const judge = new FakeJudge();
  const lab = new FakeLab(emit, options.labPace ?? 60, options.emptyLab ?? false);
  const marks = new FakeMarks((session) => emit({ type: "marks_changed", session }));
  const answers: { [C in Command]: (params: Params<C>) => Answer<C> | Promise<Answer<C>> } = {
    app_info: () => ({
      version: "0.1.0",
      data_dir: "/home/ada/.local/share/palimpsest",
      samples_dir: "/usr/share/palimpsest/samples",
      named_roots: [],
      first_run: options.firstRun ?? false,
      samples: true,
      can_start_terminal: false,
      notices: [],
      places: [
        { agent: "pi", path: "/home/ada/.pi/agent/sessions", exists: true, sessions: 41 },
        { agent: "claude-code", path: "/home/ada/.claude/projects", exists: false, sessions: 0 },
      ],
    }),
    index: () => {
      options.firstRun = false;
      emit({ type: "sessions_changed", sessions: [] });
      return {
        sessions: 8,
        entries: 1_204,
        bytes: 4_200_000,
        warnings: 2,
        unchanged: 0,
        removed: 0,
        failed: [],
        without_session: [],
        elapsed_ms: 84,
      };
    },
    sessions: (p) => {
      const words = (p.query ?? "").toLowerCase().split(/\s+/).filter(Boolean);
      const all = rows().filter((row) =>
        words.every((word) => marks.fits(row, word) ?? fits(row, word)),
      );
      const hides = p.hide_subagents && !words.some((word) => /^-?is:/.test(word));
      const found = hides ? all.filter((row) => row.parent_kind !== "subagent_of") : all;
      return {
        total: found.length,
        sessions: sorted(found, p.sort).slice(
          p.offset,
          p.limit === null ? undefined : p.offset + p.limit,
        ),
        sort: p.sort,
        asked: /(^|\s)tokens:/.test(p.query ?? "") ? ["context"] : [],
        projects: projectCounts(found),
        hidden: all.length - found.length,
        ignored: words.filter((w) => w.startsWith("color:")),
        not_understood: [],
        wider: found.length > 0 ? NOT_WIDER : widerSearch(words, rows()),
      };
    },
    open: (p) => {
      if (p.session === "gone")
        throw new HostError({
          code: "not_found",
          message: "There is no session gone in the index.",
          hint: "Index its folder in the settings, or choose another session.",
        });
      const view = openView(p.session);
      return { ...view, row: called(view.row) };
    },
    marks: (p) => marks.view(p.session),
    star: (p) => marks.star(p),
    note_save: (p) => marks.saveNote(p),
    label_set: (p) => marks.setLabel(p),
    labels: () => marks.used(),
    tree: (p) => treeView(p.session),
    outline: (p) => taleOf(p.session).outline(p),
    card_texts: (p) => ({ texts: p.positions.map(() => "") }),
    entry: (p) => entryView(p.session, p.entry),
    entry_raw: (p) => raw(p, true),
    entry_text: (p) => raw(p, false),
    entry_whole: () => {
      throw new HostError({
        code: "not_found",
        message: "The demo has no plain texts.",
        hint: null,
      });
    },
    entry_image: () => ({
      mime: "image/png",
      // One pixel.
      base64:
        "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
    }),
    context: (p) => taleOf(p.session).context(p),
    context_diff: (p) => taleOf(p.session).contextDiff(p),
    timeline: (p) => taleOf(p.session).timeline(p.at),
    policy: (p) => policyReport(taleOf(p.session).timeline(p.at), openView(p.session).row.agent, p),
    policies: () => policyList(),
    strategies: () => [...STRATEGIES, ...custom],
    stage_kinds: () => STAGE_KINDS,
    plan: async (p) => {
      // Long enough for a stale plan to be seen as one.
      if (options.planPace) await new Promise((done) => setTimeout(done, options.planPace));
      const made = P.plan(p);
      return made.kind === "nothing" ? made : { ...made, plan_hash: `plan of ${made.strategy}` };
    },
    planned_call: async ({ call, plan_hash: _, ...request }) => {
      const made = P.plan({ ...request, brief: false }).calls[call];
      if (!made)
        throw new HostError({
          code: "bad_request",
          message: `the plan has no call ${call}`,
          hint: null,
        });
      return made;
    },
    prompts: (p) => prompts.list(p.name),
    prompt: (p) => prompts.named(p.name),
    prompt_save: (p) => prompts.save(p),
    prompt_delete: (p) => {
      prompts.delete(p.name);
      return {};
    },
    prompts_import: (p) => prompts.import(p),
    prompts_find: () => prompts.find(),
    prompts_take: (p) => prompts.take(p),
    prompt_label: (p) => prompts.label(p),
    preset_save: (p) => {
      const path = `/home/ada/.local/share/palimpsest/presets/${p.name}.json`;
      const base = [...STRATEGIES, ...custom].find((own) => own.name === p.strategy)!;
      custom = [...custom.filter((own) => own.name !== p.name), { ...base, name: p.name, path }];
      return { path };
    },
    preset_delete: (p) => {
      custom = custom.filter((own) => own.name !== p.name);
      return {};
    },
    preset_rename: (p) => {
      const path = `/home/ada/.local/share/palimpsest/presets/${p.to}.json`;
      custom = custom.map((own) => (own.name === p.name ? { ...own, name: p.to, path } : own));
      return { path };
    },
    prompt_rename: (p) => {
      prompts.rename(p.name, p.to);
      return {};
    },
    prompt_scores: () => prompts.scores(),
    placeholders: () => [
      { name: "conversation", meaning: "the messages to summarize, as text" },
      { name: "request", meaning: "section: the part that custom instructions can replace" },
      { name: "segments", meaning: "the summaries of the segments" },
    ],
    text_diff: (p) => ({ rows: diff(p.left, p.right) }),
    running: () => options.running ?? [],
    run_note: (p) => {
      L.noteRun(p.run, p.name, p.note);
      return {};
    },
    leaving: (p) => P.leaving(p),
    session_turns: (p) => taleOf(p.session).turns(),
    branches: (p) => branchesOf(p.session),
    branch_compare: (p) => branchCompare(p),
    written_contexts: (p) => writing.contexts(p.id),
    navigate: (p) => {
      const left = P.leaving({ from: null, ...p });
      const side = { items: 10, tokens: left.tokens_from, window: 200_000, threshold: 180_000 };
      const items =
        p.items && left.from_id !== null && left.new_leaf_id !== null
          ? contextRows(p.session, left.from_id, left.new_leaf_id)
          : null;
      return {
        from_id: left.from_id,
        to_id: left.to_id,
        new_leaf_id: left.new_leaf_id,
        prompt: left.prompt,
        common_ancestor_id: left.common_ancestor_id,
        left_behind_ids: left.entries.map((entry) => entry.entry_id),
        left_behind_tokens: left.entries.reduce((sum, entry) => sum + entry.tokens, 0),
        files: { read: ["README.md"], modified: ["src/courier.ts"] },
        context_before: side,
        context_after: { ...side, tokens: left.tokens_to },
        items,
        run_id: p.run ?? null,
        can_write: true,
      };
    },
    write_plan: (p) => writing.plan(p),
    write: (p) => writing.write(p),
    written: () => writing.list(),
    written_resume: () => ({}),
    put_back: (p) => L.putBack(p),
    written_undo: (p) => writing.undo(p.id),
    cut_points: (p) => P.cutPoints(p),
    compact,
    cancel: (p) => {
      cancelled.add(p.stream);
      lab.cancel(p.stream);
      return {};
    },
    runs: (p) => L.runRows(p.session ?? "s1"),
    run: (p) => L.runOf(p.run),
    replay: (p) => {
      const { run_id, summary, calls } = L.runOf(p.run);
      return {
        run_id,
        same: true,
        differs_at: null,
        calls: calls.length,
        adapted: false,
        same_prompts: true,
        summary,
      };
    },
    run_delete: (p) => {
      L.deleteRun(p.run);
      return {};
    },
    judge_plan: (p) => judge.plan(p),
    judge: (p) => judge.judge(p),
    judgements: () => judge.all,
    judgement: (p) => judge.one(p.judgement),
    judgement_delete: (p) => judge.remove(p.judgement),
    lab_plan: (p) => lab.plan(p),
    lab_run: (p) => lab.run(p),
    lab_show: (p) => lab.show(p.lab),
    labs: () => lab.list(),
    lab_replay: (p) => lab.replay(p.lab),
    lab_delete: (p) => {
      lab.deleteLab(p.lab);
      return {};
    },
    lab_calibrate: () => ({
      cuts: 20,
      repeats: 6,
      planted: 100,
      found: 99,
      equal: 1000,
      hold_zero: 950,
      right: true,
    }),
    cuts: (p) => lab.cuts(p),
    cut_sets: () => lab.cutSets(),
    cut_set_save: (p) => lab.save(p),
    cut_set_add: (p) => lab.add(p),
    cut_set_remove: (p) => lab.remove(p),
    cut_set_changes: (p) => lab.changes(p),
    cut_set_delete: (p) => {
      lab.delete(p.name);
      return {};
    },
    compare: (p) => L.compare(p),
    compare_all: (p) => L.compareAll(p),
    ledger: (p) => {
      if (p.run !== null) return L.runLedger(p.run);
      const tale = taleOf(p.session);
      const entry = tale.find(
        p.compaction ?? tale.entries.filter((e) => e.kind === "compaction").at(-1)!.id,
      );
      const own = L.ledgerOf(
        `entry:${entry.id}`,
        entry.id,
        entry.text,
        "The session's own summary",
      );
      const judged = judge.all.find(
        (one) => one.what === "claims" && one.of.includes(`entry:${entry.id}`),
      );
      return judged ? judgedLedger(own, judged.judgement_id) : own;
    },
    summary_draft: (p) => L.draftOf(p.of, p.text),
    summary_insert: (p) => L.insertInto(p),
    summary_keep: (p) => L.keepEdited(p),
    fact_instructions: (p) => ({
      instructions: [
        ...(p.instructions === "" ? [] : [p.instructions, ""]),
        "The summary must contain these facts:",
        ...L.textsOf(p.of, p.facts).map((text) => `- ${text}`),
      ].join("\n"),
    }),
    figures: (p) => L.figuresNamed(p.of),
    chain: (p) => L.chainOf(p),
    export: (p) => ({
      file_name: `palimpsest-${p.what}.md`,
      media_type: "text/markdown",
      path: p.out === null ? null : `${p.out}/palimpsest-${p.what}.md`,
      text: `# ${p.what}${p.mask ? ", masked" : ""}\n`,
    }),
    ledger_source: (p) => L.ledgerSource(p),
    rename: (p) => {
      const title = p.title.trim() === "" ? null : p.title.trim();
      titles.set(p.session, title);
      return { session: p.session, title };
    },
    search_filters: () => SEARCH_FILTERS,
    find: (p) => findView(p),
    count_hits: (p) => countView(p, rows()),
    search: (p) => {
      const own = marks.hits(p.query, rows());
      return {
        ...searchHits(p, rows()),
        ...(p.changes === false ? { wider: NOT_WIDER } : {}),
        named: L.namedRuns(p.query.trim()),
        marks: own,
        marks_total: own.length,
      };
    },
    models: () => [
      {
        provider: "anthropic",
        id: "claude-haiku-4-5",
        name: "Claude Haiku 4.5",
        context_window: 200_000,
        max_output: 64_000,
        input_price: 1,
        output_price: 5,
      },
    ],
    providers: () => providers,
    provider_save: (p) => {
      providers = [
        ...providers.filter((r) => r.name !== p.name),
        { ...p, prices: p.prices ?? [], key_state: "missing", custom: true },
      ];
      return {};
    },
    provider_remove: (p) => {
      providers = providers.filter((r) => r.name !== p.name);
      return {};
    },
    provider_key: (p) => {
      providers = providers.map((r) =>
        r.name === p.name ? { ...r, key_state: p.key === null ? "missing" : "keyring" } : r,
      );
      return {};
    },
    coder_servers: () => coderServers,
    coder_save: (p) => {
      const known = coderServers.filter((server) => server.base_url !== p.base_url);
      const key_state = p.token ? "keyring" : "missing";
      const saved: W.CoderServer = { base_url: p.base_url, key_state, chats: 0 };
      coderServers = [...known, saved];
      return saved;
    },
    coder_cancel: () => {
      cancelCoder?.();
      return {};
    },
    coder_remove: (p) => {
      coderServers = coderServers.filter((server) => server.base_url !== p.base_url);
      return {};
    },
    coder_read: async (p) => {
      if (options.slowCoder) {
        await new Promise<void>((_, reject) => {
          const error = { code: "cancelled" as const, message: "cancelled", hint: null };
          cancelCoder = () => reject(new HostError(error));
        });
      }
      coderServers = coderServers.map((server) =>
        server.base_url === p.base_url ? { ...server, chats: 2 } : server,
      );
      return { chats: 2, updated: 2 };
    },
    local_servers: () => [
      {
        name: "ollama",
        base_url: "http://127.0.0.1:11434/v1",
        models: ["gpt-oss:20b", "qwen3:8b"],
      },
    ],
    provider_models: (p) => ({ models: providers.find((r) => r.name === p.name)?.models ?? [] }),
    settings: () => settings,
    settings_set: (p) => {
      const given = Object.entries(p).filter(([, value]) => value !== null);
      settings = { ...settings, ...(Object.fromEntries(given) as Partial<W.Settings>) };
      return settings;
    },
  };

  return {
    name: "fake",
    calls,
    emit,
    async rpc<C extends Command>(command: C, params: Params<C>): Promise<Answer<C>> {
      calls.push({ command, params: JSON.parse(JSON.stringify(params)) as unknown });
      const failure = options.failing?.[command];
      if (failure) throw new HostError(failure);
      await Promise.resolve();
      const answer = answers[command](params);
      return options.changed?.[command]?.(await answer) ?? answer;
    },
    async graph() {
      throw new HostError({
        code: "not_found",
        message: "Made-up data has no canvas.",
        hint: null,
      });
    },
    listen(hear) {
      heard.add(hear);
      return () => heard.delete(hear);
    },
    async openUrl() {},
    async copy() {},
  };
}
