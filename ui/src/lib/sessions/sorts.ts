//! The orders of the session list, by name. Pure.

import type { Order } from "./lines";

export const SORT_NAMES: Record<Order, string> = {
  updated: "Newest",
  oldest: "Oldest hit",
  relevance: "Best match",
  meaning: "Meaning",
  created: "Last begun",
  compactions: "Most compactions",
  errors: "Most errors",
  rejections: "Most rejected calls",
  context: "Largest context",
  cost: "Highest cost",
  size: "Largest file",
  entries: "Most entries",
  title: "Title",
};

/** The name of an order. The order by size is that of files, and of hits in a search. */
export function sortName(sort: Order, forHits: boolean): string {
  return sort === "size" && forHits ? "Largest hit" : SORT_NAMES[sort];
}

/** The orders to choose from. A search by meaning needs an embedding model. */
export function sortsFor(embeddings: string | null | undefined, chosen: Order): Order[] {
  return (Object.keys(SORT_NAMES) as Order[]).filter(
    (sort) => sort !== "meaning" || Boolean(embeddings) || chosen === "meaning",
  );
}
