//! Short messages at the lower edge of the window.

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

/** Information and warnings go by themselves; errors wait to be read, or until another session is opened. */
const STAYS_MS: Record<NoticeLevel, number | null> = {
  info: 5_000,
  warning: 15_000,
  error: null,
};
/** More than these at once would cover the panes: the oldest goes. */
const MOST = 3;
/** An offer stays longer: it has to be read and reached. */
const OFFER_STAYS_MS = 12_000;

export class Toasts {
  list = $state.raw<readonly Toast[]>([]);
  private next = 1;
  /** How long each that goes by itself stays, by its id. */
  private readonly stays = new Map<number, number>();
  /** What is done when an offer goes without being taken. */
  private readonly passed = new Map<number, () => void>();
  private readonly timers = new Map<number, ReturnType<typeof setTimeout>>();

  say(text: string, level: NoticeLevel = "info", hint: string | null = null): void {
    this.add(text, level, hint === null ? null : { hint });
  }
  /** Says what was done and offers to take it back; `gone` is called when the offer has passed. */
  offer(text: string, name: string, run: () => void, gone?: () => void): void {
    const id = this.next++;
    if (gone) this.passed.set(id, gone);
    const action = {
      name,
      run: () => {
        this.passed.delete(id);
        this.dismiss(id);
        run();
      },
    };
    // One offer at a time; the one before has passed.
    for (const other of this.list) if (other.action !== undefined) this.dismiss(other.id);
    const others = this.list;
    this.list = [...others, { id, level: "info", text, step: null, action }];
    this.leave(id, OFFER_STAYS_MS);
  }
  fail(error: WireError): void {
    if (error.code !== "cancelled") this.add(capital(error.message), "error", stepOf(error));
  }
  private add(text: string, level: NoticeLevel, step: StepWords | null): void {
    const id = this.next++;
    const others = this.list.filter((t) => t.text !== text).slice(1 - MOST);
    this.list = [...others, { id, level, text, step }];
    const stays = STAYS_MS[level];
    if (stays !== null) this.leave(id, stays);
  }
  private leave(id: number, after: number): void {
    this.stays.set(id, after);
    clearTimeout(this.timers.get(id));
    this.timers.set(
      id,
      setTimeout(() => this.dismiss(id), after),
    );
  }
  /** None goes while the pointer or the keyboard is on one. */
  hold(): void {
    for (const timer of this.timers.values()) clearTimeout(timer);
  }
  release(): void {
    for (const [id, after] of this.stays) this.leave(id, after);
  }
  /** Errors were about what was on screen before. */
  leaveErrors(): void {
    for (const toast of this.list) if (toast.level === "error") this.dismiss(toast.id);
  }
  dismiss(id: number): void {
    clearTimeout(this.timers.get(id));
    this.timers.delete(id);
    this.stays.delete(id);
    this.list = this.list.filter((t) => t.id !== id);
    const gone = this.passed.get(id);
    this.passed.delete(id);
    gone?.();
  }
}
