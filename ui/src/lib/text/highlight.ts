//! Marks the words of a search in what an element shows, without a change of its nodes: a copied text is
//! the same, and the component that drew them can draw them again.

import { matchesIn, together, type Match, type Sought } from "./terms";

/** Its name in the styles. */
const NAME = "found";
/** More would not be read one by one. */
const MOST = 2_000;

/** Elements that do not part words. */
const INLINE: ReadonlySet<string> = new Set(
  "A B BDI BUTTON CODE DEL EM I MARK S SPAN STRONG SUB SUP U".split(" "),
);

interface Shown {
  text: string;
  nodes: { node: Text; start: number }[];
}

const blockOf = (node: Node): Node | null => {
  let at = node.parentNode;
  while (at instanceof Element && INLINE.has(at.tagName)) at = at.parentNode;
  return at;
};

/** The text of an element as a reader sees it: what stands in different blocks is apart. */
export function shownText(root: Node): Shown {
  const nodes: Shown["nodes"] = [];
  const parts: string[] = [];
  let length = 0;
  let block: Node | null = null;
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
  for (let node = walker.nextNode(); node !== null; node = walker.nextNode()) {
    const text = node as Text;
    const own = blockOf(text);
    if (block !== null && own !== block) {
      parts.push("\n");
      length += 1;
    }
    block = own;
    nodes.push({ node: text, start: length });
    parts.push(text.data);
    length += text.data.length;
  }
  return { text: parts.join(""), nodes };
}

/** The node that has a place of the text. */
function nodeAt({ nodes }: Shown, at: number): Shown["nodes"][number] {
  let low = 0;
  let high = nodes.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (nodes[middle]!.start <= at) low = middle;
    else high = middle - 1;
  }
  return nodes[low]!;
}

function rangeOf(shown: Shown, { start, end }: Match): Range {
  const range = document.createRange();
  const [first, last] = [nodeAt(shown, start), nodeAt(shown, end - 1)];
  range.setStart(first.node, start - first.start);
  range.setEnd(last.node, end - last.start);
  return range;
}

/** The matches in an element, and the one to look at first. */
export function rangesIn(
  root: Node,
  sought: readonly Sought[],
): { all: Range[]; first: Range | null } {
  const shown = shownText(root);
  const found = matchesIn(shown.text, sought, MOST);
  const ranges = new Map(found.map((match) => [match, rangeOf(shown, match)]));
  const folded = (match: Match): boolean => foldedIn(ranges.get(match)!) !== null;
  const seen = found.filter((match) => !folded(match));
  const first = together(seen.length > 0 ? seen : found);
  return { all: [...ranges.values()], first: first && ranges.get(first)! };
}

/** The closed part that hides a match. Its heading is in sight. */
function foldedIn(range: Range): HTMLDetailsElement | null {
  const details =
    range.startContainer.parentElement?.closest<HTMLDetailsElement>("details:not([open])");
  return details && !range.startContainer.parentElement?.closest("summary") ? details : null;
}

/** Shows the matches in the style of `::highlight(found)`; without support of that nothing is marked. */
export function paint(ranges: readonly Range[]): void {
  if (!("highlights" in CSS) || typeof Highlight === "undefined") return;
  if (ranges.length === 0) CSS.highlights.delete(NAME);
  else CSS.highlights.set(NAME, new Highlight(...ranges));
}

/** Opens what hides a match, and brings it into the middle of everything that scrolls around it. */
export function bring(range: Range): void {
  for (let closed = foldedIn(range); closed; closed = foldedIn(range)) closed.open = true;
  let at = range.startContainer.parentElement;
  for (; at !== null; at = at.parentElement) {
    const { overflowY } = getComputedStyle(at);
    if (at.scrollHeight <= at.clientHeight || !/auto|scroll/.test(overflowY)) continue;
    const [own, match] = [at.getBoundingClientRect(), range.getBoundingClientRect()];
    at.scrollTop += match.top + match.height / 2 - (own.top + at.clientHeight / 2);
  }
}

/**
 * Keeps the matches in an element marked while it is drawn, and brings the first one into view once.
 * `onnone` hears that the element has none. Returns what ends it.
 */
export function mark(root: Node, sought: readonly Sought[], onnone: () => void): () => void {
  let brought = false;
  const again = (): void => {
    const { all, first } = rangesIn(root, sought);
    paint(all);
    if (brought) return;
    if (first === null) return onnone();
    brought = true;
    bring(first);
  };
  const watch = new MutationObserver(again);
  watch.observe(root, { childList: true, characterData: true, subtree: true });
  again();
  return () => {
    watch.disconnect();
    paint([]);
  };
}
