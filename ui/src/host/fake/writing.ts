//! Written sessions of the made-up machine.

import type * as W from "../../wire/wire";
import { contextRows } from "./branches";
import { taleOf } from "./tree";

/** What was written, newest first; taken back by id. */
export class FakeWriting {
  private rows: W.WrittenView[] = [];

  write(request: W.WriteRequest): W.WrittenView {
    const number = this.rows.length + 1;
    const appended = request.append === true;
    const path = appended
      ? "/home/ada/sessions/s1.jsonl"
      : `/home/ada/sessions/new-${number}.jsonl`;
    const changes = {
      navigation: "summary" in request.from ? "branch_summary" : "history",
      run: "compaction",
      edited: "edited_summary",
      undone: "history",
      message: "message",
    };
    const row: W.WrittenView = {
      id: `w${number}`,
      path,
      agent: "pi",
      resume_command: `cd /home/ada/courier && pi --session ${path}`,
      sha256: "0".repeat(64),
      appended,
      change: changes[request.from.kind],
      session: request.session ?? "s1",
      session_path: "/home/ada/sessions/s1.jsonl",
      leaf_id: null,
      run_id: request.from.kind === "run" ? request.from.run : null,
      backup: appended ? "/home/ada/backups/s1.jsonl" : null,
      standing: "as_written",
      written_at: 0,
      notes: [],
    };
    this.rows = [row, ...this.rows];
    return row;
  }

  list(): W.WrittenView[] {
    return this.rows;
  }

  undo(id: string): W.WrittenView {
    this.rows = this.rows.map((row) => (row.id === id ? { ...row, standing: "undone" } : row));
    return this.rows.find((row) => row.id === id)!;
  }

  contexts(id: string): W.WrittenContexts {
    const row = this.rows.find((own) => own.id === id)!;
    const { entries, leaf } = taleOf(row.session);
    const side = { items: 10, tokens: 9_000, window: 200_000, threshold: null };
    const items = contextRows(row.session, leaf, entries[3]!.id);
    return { before: side, after: { ...side, tokens: 2_000 }, items };
  }

  plan(request: W.WriteRequest): W.WritePlanView {
    return {
      change: request.from.kind,
      leaf_id: null,
      path: "/home/ada/sessions/new.jsonl",
      bytes: 1_000,
      tokens_before: 2_000,
      tokens_after: 900,
      context: [],
      notes: [],
    };
  }
}
