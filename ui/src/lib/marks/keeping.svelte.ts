//! Stars, notes and labels: changing them, taking the last deletion back, and where the keyboard
//! asked to write one.

import { wireError, type Host } from "../../host/types";
import type { Toasts } from "../state/toasts.svelte";

/** What a note or label is on. */
export interface MarkPlace {
  session: string;
  /** The entry; null for the session itself. */
  entry: string | null;
  /** Its position, which tells two entries with one id apart. */
  ix: number | null;
}

/** What the user asked to write on the entry stood on. */
export type Wanted = "note" | "label";

export class Marks {
  /** Stars set here and not yet told by the host, so that a click shows at once. */
  private readonly stars = $state<Record<string, boolean>>({});
  /** Asked for with a key or a menu, until the field is open. */
  wanted = $state<Wanted | null>(null);
  /** True while the list of the session's notes and labels is open. */
  listed = $state(false);
  private last = $state.raw<(() => Promise<void>) | null>(null);

  constructor(
    private readonly host: Host,
    private readonly toasts: Toasts,
  ) {}

  get canUndo(): boolean {
    return this.last !== null;
  }

  starred(session: string, stored: boolean): boolean {
    return this.stars[session] ?? stored;
  }
  async star(session: string, starred: boolean): Promise<void> {
    this.stars[session] = starred;
    const done = await this.tried(() => this.host.rpc("star", { session, starred }));
    if (done === null) this.forget(session);
  }
  /** The host's answer is newer than what was set here. */
  forget(session: string): void {
    delete this.stars[session];
  }

  /** Saves a note; true when it was saved. */
  async saveNote(place: MarkPlace, text: string): Promise<boolean> {
    return (await this.tried(() => this.host.rpc("note_save", { ...place, text }))) !== null;
  }
  async deleteNote(place: MarkPlace): Promise<void> {
    const done = await this.tried(() => this.host.rpc("note_save", { ...place, text: "" }));
    const before = done?.before ?? null;
    if (before !== null)
      this.offer("Note deleted.", async () => void (await this.saveNote(place, before)));
  }

  /** Adds a label; true when it was added. */
  async addLabel(place: MarkPlace, text: string): Promise<boolean> {
    return (await this.setLabel(place, text, true)) !== null;
  }
  async removeLabel(place: MarkPlace, text: string): Promise<void> {
    if ((await this.setLabel(place, text, false)) !== null)
      this.offer(`Label “${text}” removed.`, async () => void (await this.addLabel(place, text)));
  }
  private setLabel(place: MarkPlace, text: string, on: boolean): Promise<unknown> {
    return this.tried(() => this.host.rpc("label_set", { ...place, text, on }));
  }

  async undo(): Promise<void> {
    const back = this.last;
    this.last = null;
    await back?.();
  }
  private offer(said: string, back: () => Promise<void>): void {
    this.last = back;
    this.toasts.offer(said, "Undo", () => void this.undo());
  }

  private async tried<T>(call: () => Promise<T>): Promise<T | null> {
    try {
      return await call();
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
      return null;
    }
  }
}
