//! Opens the search in a session, with what was last searched there.

import type { App } from "../state/app.svelte";
import { wordsOf } from "./words";

/** What was typed into the search in each session, while the window is open. */
export class Finds {
  /** By session: what was typed, and the words of the search over all sessions then. */
  private readonly typed = new Map<string, { text: string; words: string }>();
  /** True once the user asked for the search, until its field has the focus. */
  private called = false;

  /** The next field that appears takes the focus. */
  call(): void {
    this.called = true;
  }
  /** Whether the field was asked for; false where it appears with the page or with its pane. */
  takeCall(): boolean {
    const called = this.called;
    this.called = false;
    return called;
  }

  note(session: string, text: string, query: string): void {
    this.typed.set(session, { text, words: wordsOf(query) });
  }
  /** What the search in the session begins with: what was last typed there, else the words that all sessions are searched for, also where those are new. */
  begin(session: string, query: string): string {
    const words = wordsOf(query);
    const last = this.typed.get(session);
    if (!last || last.text === "") return words;
    return words === "" || words === last.words ? last.text : words;
  }
}

/** Opens the search in the open session; where it is open, gives its field the focus. */
export function openFind(app: App): void {
  const { session, find, query } = app.place;
  if (session === null) return;
  app.pane = "tree";
  const input = document.querySelector<HTMLInputElement>("[data-testid=find-input]");
  // Where it is not shown, the field takes the focus as it appears.
  if (input === null) app.finds.call();
  if (find === null) return app.go({ find: app.finds.begin(session, query) });
  input?.focus();
  input?.select();
}
