//! What policies would have done on a made-up path, in small.

import type * as W from "../../wire/wire";

interface Rule {
  name: string;
  agent: string;
  description: string;
  preset: string;
  /** Share of the window at which it fires. */
  share: number | null;
  /** Tokens that stay. */
  keep: number;
}

const RULES: readonly Rule[] = [
  {
    name: "pi",
    agent: "pi",
    description: "when less than 16,384 tokens of the context window are left",
    preset: "pi",
    share: 0.744,
    keep: 20_000,
  },
  {
    name: "claude-code",
    agent: "claude-code",
    description:
      "at 13,000 tokens below the context window minus the output reserve (at most 20,000)",
    preset: "claude-code",
    share: 0.48,
    keep: 0,
  },
  {
    name: "codex",
    agent: "codex",
    description: "at 90 % of the context window, rounded down",
    preset: "codex",
    share: 0.9,
    keep: 1_000,
  },
  {
    name: "coder",
    agent: "coder",
    description: "at 70 % of the limit after each step",
    preset: "coder",
    share: 0.7,
    keep: 0,
  },
  {
    name: "gemini-cli",
    agent: "gemini-cli",
    description: "at 50 % of the context window",
    preset: "gemini-cli",
    share: 0.5,
    keep: 9_000,
  },
  {
    name: "continue",
    agent: "continue",
    description: "manual only: the user chooses a message",
    preset: "continue",
    share: null,
    keep: 0,
  },
];

/** Walks the points of a timeline; a compaction of the session adds nothing. */
export function policyReport(
  line: W.Timeline,
  agent: string,
  request: W.PolicyRequest,
): W.PolicyReport {
  const growth = line.points.map((point, n) =>
    Math.max(0, point.tokens - (line.points[n - 1]?.tokens ?? 0)),
  );
  const wanted = RULES.filter(
    (rule) => request.policies.length === 0 || request.policies.includes(rule.name),
  );
  const window = request.window ?? line.window;
  return {
    session: request.session,
    at: line.at,
    model: "anthropic/claude-haiku-4-5",
    window,
    max_output: null,
    length: line.length,
    policies: wanted.map((rule) => course(rule, agent, window, line, growth, request.totals_only)),
    actual: line.marks
      .filter((mark) => mark.kind === "compaction")
      .map((mark) => ({
        entry_id: mark.entry_id,
        position: mark.position,
        tokens_before: mark.before,
        tokens_after: mark.after,
      })),
    notes: ["Sizes are made up."],
  };
}

/** The rules without numbers to set: a made-up rule is a share that no screen shows. */
export function policyList(): W.PolicyList {
  const policies = RULES.map((rule) => ({
    name: rule.name,
    agent: rule.agent,
    version: "1",
    description: rule.description,
    source: `${rule.agent}, made up`,
    preset: rule.preset,
    path: null,
    params: [],
  }));
  return { policies, broken: [] };
}

function course(
  rule: Rule,
  agent: string,
  window: number | null,
  line: W.Timeline,
  growth: readonly number[],
  totalsOnly: boolean,
): W.PolicyCourse {
  const threshold = rule.share === null || window === null ? null : Math.floor(window * rule.share);
  const fires: W.PolicyFire[] = [];
  let tokens = 0;
  let since = 0;
  let peak = 0;
  for (const [n, point] of line.points.entries()) {
    tokens += growth[n]!;
    since += 1;
    peak = Math.max(peak, tokens);
    if (threshold === null || tokens < threshold) continue;
    const after = rule.keep + 2_000;
    fires.push({
      entry_id: point.entry_id,
      line: point.position,
      position: point.position,
      check: "between_tools",
      forced: false,
      tokens_before: tokens,
      tokens_after: after,
      lost_tokens: tokens - after,
      summarized: since,
      kept: rule.keep > 0 ? 4 : 0,
    });
    tokens = after;
    since = 0;
  }
  return {
    name: rule.name,
    agent: rule.agent,
    version: "1",
    description: rule.description,
    source: `${rule.agent}, made up`,
    is_own: rule.agent === agent,
    threshold_tokens: threshold,
    threshold_messages: null,
    inclusive: rule.name !== "pi",
    window,
    rule: {},
    counting: "usage_and_trailing",
    checks: ["between_tools"],
    off: [],
    preset: rule.preset,
    levels: [],
    fire_count: fires.length,
    fires: totalsOnly ? [] : fires,
    lost_tokens: fires.reduce((sum, fire) => sum + fire.lost_tokens, 0),
    peak_tokens: peak,
    off_reason:
      rule.share === null
        ? "Continue compacts in the editor only when the user asks for it"
        : window === null
          ? "the context window of the model is unknown; set it with --window"
          : null,
    stopped_at: null,
    stop_reason: null,
  };
}
