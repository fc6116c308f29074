//! No symbol without words: read from the components' source.

import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { parse } from "svelte/compiler";
import { expect, test } from "vitest";

const ROOT = join(import.meta.dirname, "../src");

/** A node of the compiler's tree, as far as this test looks at it. */
interface Node {
  type: string;
  name?: string;
  start: number;
  data?: string;
  attributes?: { name?: string; value?: unknown }[];
  nodes?: Node[];
  [fragment: string]: unknown;
}
const FRAGMENTS = ["fragment", "body", "consequent", "alternate", "fallback", "pending", "then"];
const children = (node: Node): Node[] =>
  FRAGMENTS.flatMap((name) => (node[name] as Node | null | undefined)?.nodes ?? []);
const has = (node: Node, name: string): boolean =>
  (node.attributes ?? []).some((own) => own.name === name);
const isIcon = (node: Node): boolean => node.type === "Component" && node.name === "Icon";

/** True for text, and for what may be text. */
function speaks(node: Node): boolean {
  if (node.type === "Text") return /\S/.test(node.data ?? "");
  if (["ExpressionTag", "RenderTag"].includes(node.type)) return true;
  if (node.type === "Component") return !isIcon(node);
  return children(node).some(speaks);
}
/** Everything in it that `wanted` fits, each with the elements around it, the innermost first. */
function* found(
  node: Node,
  wanted: (node: Node) => boolean,
  around: readonly Node[] = [],
): Generator<[Node, readonly Node[]]> {
  if (wanted(node)) yield [node, around];
  const isElement = node.type === "RegularElement" || node.type === "Component";
  for (const child of children(node))
    yield* found(child, wanted, isElement ? [node, ...around] : around);
}
const components = readdirSync(ROOT, { recursive: true, encoding: "utf8" })
  .filter((file) => file.endsWith(".svelte"))
  .map((file) => {
    const source = readFileSync(join(ROOT, file), "utf8");
    const tree = parse(source, { modern: true }) as unknown as Node;
    const place = ({ start }: Node): string =>
      `${file}:${source.slice(0, start).split("\n").length}`;
    return { tree, place };
  });

test("a button with an icon alone has a tooltip, which names it as well", () => {
  const isBare = (node: Node): boolean =>
    node.type === "RegularElement" &&
    ["button", "a", "summary"].includes(node.name ?? "") &&
    children(node).length > 0 &&
    !speaks(node) &&
    !has(node, "title");
  const bare = components.flatMap(({ tree, place }) =>
    [...found(tree, isBare)].map(([node]) => place(node)),
  );
  expect(bare).toEqual([]);
});

test("an icon that tells one thing from another has a title, or words beside it", () => {
  /** Its own element, or the one around it where it is alone in its own. */
  const BESIDE = 2;
  const isChosen = (node: Node): boolean =>
    isIcon(node) &&
    !has(node, "title") &&
    (node.attributes ?? []).some((own) => own.name === "name" && !Array.isArray(own.value));
  const mute = components.flatMap(({ tree, place }) =>
    [...found(tree, isChosen)]
      .filter(
        ([, around]) => !around.slice(0, BESIDE).some((own) => has(own, "title") || speaks(own)),
      )
      .map(([node]) => place(node)),
  );
  expect(mute).toEqual([]);
});
