//! Saved prompts that live as long as the page.

import type * as W from "../../wire/wire";

const FOUND: W.FoundPromptView[] = [
  {
    strategy: "codex",
    source: "/home/ada/.codex/config.toml",
    setting: "compact_prompt",
    name: "codex compact_prompt (user)",
    place: "request",
    text: "Hand over with every port and path.",
    params: {},
    version: null,
    preset: null,
  },
  {
    strategy: "pi",
    source: "/home/ada/.pi/agent/settings.json",
    setting: "compaction",
    name: "my-pi",
    place: null,
    text: null,
    params: { keep_recent_tokens: 9_000 },
    version: null,
    preset: null,
  },
];

const INSTALLED: W.FoundPromptView = {
  strategy: "pi",
  source: "/usr/lib/node_modules/pi-coding-agent (pi 1.5.2)",
  setting: "SUMMARIZATION_PROMPT",
  name: "pi first (installed)",
  place: "first",
  text: "<conversation>\n{{conversation}}\n</conversation>\n\nWrite the state of the work down.",
  params: {},
  version: null,
  preset: null,
};

export class FakePrompts {
  private rows: W.PromptRow[] = [
    {
      name: "terse",
      version: 2,
      text: "You write short summaries with every path in full.",
      hash: "8f41c02a77d1b5e9",
      created_at: 1_760_100_000_000,
      strategy: "pi",
      place: "first",
      source: null,
      label: null,
    },
    {
      name: "terse",
      version: 1,
      text: "You write short summaries.",
      hash: "02bb7d10c9a64f31",
      created_at: 1_760_000_000_000,
      strategy: "pi",
      place: "first",
      source: null,
      label: null,
    },
    {
      name: "ports",
      version: 1,
      text: "Name every port that is used.",
      hash: "f00d0e12aa45c6d7",
      created_at: 1_760_050_000_000,
      strategy: null,
      place: "instructions",
      source: null,
      label: null,
    },
  ];

  list(name: string | null): W.PromptRow[] {
    return this.rows.filter((row) => name === null || row.name === name);
  }

  named(name: string): W.PromptRow {
    const [own, version] = name.split("@");
    const found = this.rows.find(
      (row) => row.name === own && (version === undefined || row.version === Number(version)),
    );
    if (!found) throw new Error(`no saved prompt '${name}'`);
    return found;
  }

  save(request: W.PromptSaveRequest, source: string | null = null): W.PromptRow {
    const versions = this.list(request.name);
    const same = versions.find((row) => row.text === request.text);
    if (same) return same;
    const version = Math.max(0, ...versions.map((row) => row.version)) + 1;
    const row = {
      ...request,
      version,
      hash: `${version}`.padStart(16, "c"),
      created_at: 1_760_200_000_000,
      source,
      label: null,
    };
    this.rows = [row, ...this.rows];
    return row;
  }

  rename(name: string, to: string): void {
    this.rows = this.rows.map((row) => (row.name === name ? { ...row, name: to } : row));
  }

  label(request: W.PromptLabelRequest): W.PromptRow {
    const own = this.named(request.name);
    const row = { ...own, label: request.label.trim() === "" ? null : request.label.trim() };
    this.rows = this.rows.map((other) => (other === own ? row : other));
    return row;
  }

  /** One agent with one prompt; of the others nothing is found. */
  find(): W.InstalledPromptsView {
    const saved = this.list(INSTALLED.name).find((row) => row.text === INSTALLED.text);
    return {
      agents: [
        {
          agent: "pi",
          version: "1.5.2",
          path: "/usr/lib/node_modules/pi-coding-agent",
          prompts: [{ ...INSTALLED, version: saved?.version ?? null }],
          problem: null,
        },
      ],
      without: ["claude-code", "codex", "opencode"],
    };
  }

  take(request: W.PromptsTakeRequest): W.PromptImportView {
    const wanted = request.names.length === 0 || request.names.includes(INSTALLED.name);
    if (!wanted) return { found: [], warnings: [] };
    const { name, text, strategy, place, source } = INSTALLED;
    const { version } = this.save({ name, text: text ?? "", strategy, place }, source);
    return { found: [{ ...INSTALLED, version }], warnings: [] };
  }

  scores(): W.PromptScoreView[] {
    return [
      {
        hash: "8f41c02a77d1b5e9",
        done: 3,
        failed: 1,
        strategies: ["pi"],
        models: ["anthropic claude-haiku-4-5"],
        retained: 0.81,
        needed_later: 2.3,
        last_used: 1_760_150_000_000,
      },
    ];
  }

  delete(name: string): void {
    this.rows = this.rows.filter((row) => row.name !== name);
  }

  import(request: W.PromptImportRequest): W.PromptImportView {
    const found = FOUND.map((own) => {
      if (request.dry_run) return own;
      if (own.text === null)
        return { ...own, preset: "/home/ada/.local/share/palimpsest/presets/my-pi.json" };
      return {
        ...own,
        version: this.save(
          { name: own.name, text: own.text, strategy: own.strategy, place: own.place },
          own.source,
        ).version,
      };
    });
    return {
      found,
      warnings: ["cannot use /home/ada/.config/opencode/opencode.json: it is not JSON"],
    };
  }
}
