//! Short messages at the edge of the window.

import type { NoticeLevel, WireError } from "../../wire/wire";
import { capital } from "../text/format";
import { stepOf } from "../ui/errors";
import type { StepWords } from "../ui/steps";

export interface Toast {
  id: number;
  level: NoticeLevel;
  text: string;
  step: StepWords | null;
  /** A button that does what the text offers. */
  action?: { name: string; run: () => void };
}

/** Information goes by itself; warnings and errors wait to be read. */
const INFO_STAYS_MS = 5_000;
/** An offer stays longer: it has to be read and reached. */
const OFFER_STAYS_MS = 12_000;

export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  private next = 1;

  say(text: string, level: NoticeLevel = "info", hint: string | null = null): void {
    this.add(text, level, hint === null ? null : { hint });
  }
  /** Says what was done and offers to take it back. */
  offer(text: string, name: string, run: () => void): void {
    const id = this.next++;
    const action = {
      name,
      run: () => {
        this.dismiss(id);
        run();
      },
    };
    const others = this.list.filter((t) => t.action === undefined);
    this.list = [...others, { id, level: "info", text, step: null, action }];
    setTimeout(() => this.dismiss(id), OFFER_STAYS_MS);
  }
  fail(error: WireError): void {
    if (error.code !== "cancelled") this.add(capital(error.message), "error", stepOf(error));
  }
  private add(text: string, level: NoticeLevel, step: StepWords | null): void {
    const id = this.next++;
    this.list = [...this.list.filter((t) => t.text !== text), { id, level, text, step }];
    if (level === "info") setTimeout(() => this.dismiss(id), INFO_STAYS_MS);
  }
  dismiss(id: number): void {
    this.list = this.list.filter((t) => t.id !== id);
  }
}
