//! Short messages at the edge of the window.

import type { NoticeLevel, WireError } from "../../wire/wire";

export interface Toast {
  id: number;
  level: NoticeLevel;
  text: string;
  hint: string | null;
}

/** Information goes by itself; warnings and errors wait to be read. */
const INFO_STAYS_MS = 5_000;

export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  private next = 1;

  say(text: string, level: NoticeLevel = "info", hint: string | null = null): void {
    const id = this.next++;
    this.list = [...this.list.filter((t) => t.text !== text), { id, level, text, hint }];
    if (level === "info") setTimeout(() => this.dismiss(id), INFO_STAYS_MS);
  }
  fail(error: WireError): void {
    if (error.code !== "cancelled") this.say(error.message, "error", error.hint);
  }
  dismiss(id: number): void {
    this.list = this.list.filter((t) => t.id !== id);
  }
}
