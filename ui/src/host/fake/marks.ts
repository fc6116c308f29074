//! The made-up user's stars, notes and labels, kept in memory.

import type * as W from "../../wire/wire";
import { taleOf } from "./tree";

interface Mark {
  session: string;
  entry: string | null;
  text: string;
  time: number;
}
type Place = { session: string; entry: string | null };

const on = (place: Place) => (mark: Mark) =>
  mark.session === place.session && mark.entry === place.entry;

export class FakeMarks {
  private readonly stars = new Set<string>();
  private notes: Mark[] = [];
  private labels: Mark[] = [];
  private clock = Date.UTC(2026, 10, 21);

  constructor(private readonly changed: (session: string) => void) {}

  /** A row with its marks. */
  of(row: W.SessionRow): W.SessionRow {
    return {
      ...row,
      starred: this.stars.has(row.id),
      notes: this.notes.filter((note) => note.session === row.id).length,
      labels: this.texts({ session: row.id, entry: null }),
    };
  }
  /** Whether a word of a query fits by marks; undefined where it does not ask for any. */
  fits(row: W.SessionRow, word: string): boolean | undefined {
    const has = (marks: Mark[], text = ""): boolean =>
      marks.some((m) => m.session === row.id && m.text.toLowerCase().includes(text));
    if (word === "is:starred" || word === "has:star") return this.stars.has(row.id);
    if (word === "has:note") return has(this.notes);
    if (word === "has:label") return has(this.labels);
    if (word.startsWith("note:")) return has(this.notes, word.slice(5));
    if (word.startsWith("label:")) return has(this.labels, word.slice(6));
    if (word.includes(":") || word === "") return undefined;
    return has(this.notes, word) || has(this.labels, word) || undefined;
  }
  star({ session, starred }: W.StarRequest): W.StarView {
    if (starred) this.stars.add(session);
    else this.stars.delete(session);
    this.changed(session);
    return { session, starred };
  }
  saveNote({ session, entry, text }: W.NoteSaveRequest): W.NoteSaved {
    const place = { session, entry };
    const before = this.notes.find(on(place))?.text ?? null;
    this.notes = this.notes.filter((note) => !on(place)(note));
    const saved = text.trim();
    if (saved !== "") this.notes.push({ ...place, text: saved, time: ++this.clock });
    this.changed(session);
    return { session, entry_id: entry, occurrence: 1, text: saved || null, before };
  }
  setLabel(request: W.LabelRequest): W.LabelsView {
    const { session, entry, text } = request;
    const place = { session, entry };
    this.labels = this.labels.filter((label) => !(on(place)(label) && label.text === text));
    if (request.on ?? true) this.labels.push({ ...place, text, time: ++this.clock });
    this.changed(session);
    return { session, entry_id: entry, occurrence: 1, labels: this.texts(place), missing: false };
  }
  used(): W.LabelUse[] {
    const uses = new Map<string, number>();
    for (const { text } of this.labels) uses.set(text, (uses.get(text) ?? 0) + 1);
    return [...uses].map(([text, count]) => ({ text, uses: count }));
  }
  view(session: string): W.MarksView {
    const tale = taleOf(session);
    const entry = (id: string | null): W.MarkedEntry | null => {
      if (id === null) return null;
      const found = tale.find(id);
      return {
        entry_id: id,
        occurrence: 1,
        ix: tale.entries.indexOf(found),
        preview: found.text.slice(0, 160),
        role: found.role,
        kind: found.kind,
        tools: [],
        is_error: false,
        rejected: false,
        record: null,
      };
    };
    const here = (mark: Mark): boolean => mark.session === session;
    return {
      session,
      starred: this.stars.has(session),
      notes: this.notes
        .filter(here)
        .map(({ entry: id, text, time }) => ({ on: entry(id), text, updated_at: time })),
      labels: this.labels
        .filter(here)
        .map(({ entry: id, text, time }) => ({ on: entry(id), text, created_at: time })),
    };
  }
  /** Notes and labels with all words of a query. */
  hits(query: string, rows: readonly W.SessionRow[]): W.MarkHit[] {
    const said = query.toLowerCase().split(/\s+/).filter(Boolean);
    const plain = said.filter((word) => !word.includes(":"));
    const find = (marks: Mark[], kind: W.MarkKind): W.MarkHit[] => {
      const own = said.filter((w) => w.startsWith(`${kind}:`)).map((w) => w.slice(kind.length + 1));
      const words = [...plain, ...own];
      if (words.length === 0) return [];
      return marks
        .filter((mark) => words.every((word) => mark.text.toLowerCase().includes(word)))
        .flatMap((mark) => {
          const row = rows.find((r) => r.id === mark.session);
          if (!row) return [];
          const start = mark.text.toLowerCase().indexOf(words[0]!);
          return {
            kind,
            by_agent: false,
            shown_id: row.shown_id,
            session: row.id,
            title: row.title,
            project: row.project,
            agent: row.agent,
            entry_id: mark.entry,
            occurrence: 1,
            timestamp: mark.time,
            snippet: mark.text,
            ranges: [{ start, end: start + words[0]!.length }],
          };
        });
    };
    return [...find(this.notes, "note"), ...find(this.labels, "label")];
  }
  private texts(place: Place): string[] {
    return this.labels.filter(on(place)).map((label) => label.text);
  }
}
