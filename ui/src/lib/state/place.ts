//! Where the user is, as the part of the address behind `#`. Pure; [`Location`] watches it.

import type { TreeFilter } from "../../wire/wire";

export const TABS = ["entry", "context", "summary", "rerun", "runs", "navigate"] as const;
export type Tab = (typeof TABS)[number];
export const FILTERS: readonly TreeFilter[] = [
  "default",
  "no_tools",
  "user_only",
  "labeled_only",
  "all",
];

/** The parts of the lab. */
export const LAB_PARTS = ["experiments", "sets", "new"] as const;

export interface Place {
  /** The open session. */
  session: string | null;
  /** The entry stood on; the active leaf when absent. */
  entry: string | null;
  tab: Tab;
  filter: TreeFilter;
  /** The filter before an opened hit needed all entries; another session is shown with it. */
  was: TreeFilter | null;
  view: "outline" | "canvas";
  /** What is typed into the search box. */
  query: string;
  /** What is searched in the open session; null where that search is closed. */
  find: string | null;
  /** The ledger shown: `entry:ID` or a run's id; the nearest compaction when absent. */
  ledger: string | null;
  /** The fact chosen in the ledger, by its id there. */
  fact: string | null;
  /** The other entry of a context difference. */
  against: string | null;
  /** The entry left for the one stood on, in Switch branch; the active leaf when absent. */
  from: string | null;
  /** The summaries compared, two or more. */
  compare: readonly string[] | null;
  /** The auto-compaction policies that the timeline shows. */
  policies: readonly string[];
  /** What is drafted in Re-run; absent while nothing was changed. */
  plan: string | null;
  /** What is drafted in Switch branch. */
  leave: string | null;
  /** What the lab shows in place of the panes: one of {@link LAB_PARTS}, or the id of an experiment. */
  lab: string | null;
}

export const NOWHERE: Place = {
  session: null,
  entry: null,
  tab: "entry",
  filter: "default",
  was: null,
  view: "outline",
  query: "",
  find: null,
  ledger: null,
  fact: null,
  against: null,
  from: null,
  compare: null,
  policies: [],
  plan: null,
  leave: null,
  lab: null,
};

/**
 * What a step to a tab changes. Re-run plans again the summary that was chosen on Summary, as its button
 * there does.
 */
export function toTab(place: Place, tab: Tab): Partial<Place> {
  const chosen = place.ledger?.startsWith("entry:") ? place.ledger.slice("entry:".length) : null;
  return tab === "rerun" && place.tab === "summary" && chosen !== null
    ? { tab, entry: chosen }
    : { tab };
}

/** Defaults are left out, so that an address stays short enough to paste. */
export function format(place: Place): string {
  const query = new URLSearchParams();
  if (place.session !== null) query.set("s", place.session);
  if (place.entry !== null) query.set("e", place.entry);
  if (place.tab !== NOWHERE.tab) query.set("tab", place.tab);
  if (place.filter !== NOWHERE.filter) query.set("show", place.filter);
  if (place.was !== null) query.set("was", place.was);
  if (place.view !== NOWHERE.view) query.set("view", place.view);
  if (place.query !== "") query.set("q", place.query);
  if (place.find !== null) query.set("find", place.find);
  if (place.ledger !== null) query.set("of", place.ledger);
  if (place.fact !== null) query.set("fact", place.fact);
  if (place.against !== null) query.set("against", place.against);
  if (place.from !== null) query.set("from", place.from);
  if (place.compare !== null) query.set("compare", place.compare.join("~"));
  if (place.policies.length > 0) query.set("policies", place.policies.join("~"));
  if (place.plan !== null) query.set("plan", place.plan);
  if (place.leave !== null) query.set("leave", place.leave);
  if (place.lab !== null) query.set("lab", place.lab);
  return query.size > 0 ? `#${query}` : "";
}

/** Reads an address; what it does not understand becomes the default. */
export function parse(hash: string): Place {
  const query = new URLSearchParams(hash.replace(/^#/, ""));
  const sides = (query.get("compare") ?? "").split("~");
  return {
    session: query.get("s"),
    entry: query.get("e"),
    tab: TABS.find((t) => t === query.get("tab")) ?? NOWHERE.tab,
    filter: FILTERS.find((f) => f === query.get("show")) ?? NOWHERE.filter,
    was: FILTERS.find((f) => f === query.get("was")) ?? null,
    view: query.get("view") === "canvas" ? "canvas" : NOWHERE.view,
    query: query.get("q") ?? "",
    find: query.get("find"),
    ledger: query.get("of"),
    fact: query.get("fact"),
    against: query.get("against"),
    from: query.get("from"),
    compare: sides.length >= 2 && sides.every((side) => side !== "") ? sides : null,
    policies: (query.get("policies") ?? "").split("~").filter((name) => name !== ""),
    plan: query.get("plan"),
    leave: query.get("leave"),
    lab: query.get("lab") || null,
  };
}
