//! Keeps what is drafted in Re-run and Switch branch in the address, so that a reload or a link comes
//! back to it.

import { untrack } from "svelte";
import { wireError } from "../../host/types";
import type { StageKindInfo, StrategyInfo } from "../../wire/wire";
import { fit, nameOf, pack, unpack, type Drafted } from "./drafted";
import type { Location } from "./location.svelte";
import type { Prefs } from "./prefs.svelte";
import type { Toasts } from "./toasts.svelte";

/** Where a draft stands in the address. */
type Part = "plan" | "leave";
const PARTS: readonly Part[] = ["plan", "leave"];

/** The address follows at once, but no more often than this: browsers limit how often it may change. */
const WRITE_EVERY_MS = 200;
/** A longer text is kept with the settings, and the address only names it. */
const LONGEST = 1_800;
/** What such a name begins with. */
const KEPT = "@";

/** Something that is drafted. */
export interface Draft {
  /** Null while nothing was changed. */
  drafted(): Drafted | null;
  /** Null is what it is at the beginning. */
  takeUp(drafted: Drafted | null): void;
}

export class Drafts {
  /** What the address says, where the draft says the same. */
  private readonly known: Record<Part, string | null> = { plan: null, leave: null };
  private timer: ReturnType<typeof setTimeout> | undefined;
  private writtenAt = 0;
  private end: (() => void) | undefined;

  constructor(
    private readonly location: Location,
    private readonly prefs: Prefs,
    private readonly toasts: Toasts,
    private readonly of: Readonly<Record<Part, Draft>>,
    private readonly presets: () => Promise<
      readonly [readonly StrategyInfo[], readonly StageKindInfo[]]
    >,
  ) {}

  /** Takes up what the address says; from then on they follow each other. */
  async start(window: Window): Promise<void> {
    for (const part of PARTS) await this.read(part);
    const stop = $effect.root(() => {
      for (const part of PARTS) {
        $effect(() => {
          void this.of[part].drafted();
          untrack(() => this.later());
        });
        $effect(() => {
          void this.location.place[part];
          untrack(() => void this.read(part));
        });
      }
    });
    const leave = (): void => void this.write();
    window.addEventListener("pagehide", leave);
    this.end = () => {
      stop();
      window.removeEventListener("pagehide", leave);
    };
  }
  stop(): void {
    clearTimeout(this.timer);
    this.end?.();
  }

  private later(): void {
    clearTimeout(this.timer);
    const wait = this.writtenAt + WRITE_EVERY_MS - Date.now();
    if (wait <= 0) this.write();
    else this.timer = setTimeout(() => this.write(), wait);
  }

  /** Brings the address up to date at once. False when a draft does not fit into a link. */
  write(): boolean {
    clearTimeout(this.timer);
    let whole = true;
    for (const part of PARTS) {
      const drafted = this.of[part].drafted();
      let text = drafted === null ? null : pack(drafted);
      if (text !== null && text.length > LONGEST) {
        const name = KEPT + nameOf(text);
        this.prefs.keepDraft(name, text);
        text = name;
        whole = false;
      }
      if (text === this.known[part]) continue;
      this.known[part] = text;
      this.writtenAt = Date.now();
      this.location.go({ [part]: text });
    }
    return whole;
  }

  private async read(part: Part): Promise<void> {
    const said = this.location.place[part];
    if (said === this.known[part]) return;
    this.known[part] = said;
    clearTimeout(this.timer);
    if (said === null) return this.of[part].takeUp(null);
    const text = said.startsWith(KEPT) ? this.prefs.drafts[said] : said;
    if (text === undefined)
      return this.toasts.say(
        "The draft of this link is stored on another machine.",
        "warning",
        "Ask the sender for the instructions and settings.",
      );
    const drafted = unpack(text);
    if (drafted === null)
      return this.toasts.say(
        "The draft in this link is invalid.",
        "warning",
        "The link may be truncated or made by a newer version.",
      );
    try {
      const { drafted: fitting, dropped } = fit(drafted, ...(await this.presets()));
      if (this.known[part] !== said) return;
      this.of[part].takeUp(fitting);
      if (dropped.length > 0)
        this.toasts.say(
          `Skipped parts of the draft that do not exist here: ${listed(dropped)}.`,
          "warning",
        );
    } catch (thrown) {
      this.toasts.fail(wireError(thrown));
    }
  }
}

/** The first few of a list in words. */
function listed(all: readonly string[]): string {
  const MOST = 4;
  return all.length <= MOST
    ? all.join(", ")
    : `${all.slice(0, MOST - 1).join(", ")} and ${all.length - MOST + 1} more`;
}
