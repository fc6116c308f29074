import { expect, test } from "vitest";
import { beyondItems } from "../src/lib/inspector/context/apart";
import type { ContextSide } from "../src/wire/wire";

const side = (tokens: number): ContextSide => ({ tokens }) as ContextSide;

test("a difference that the items explain is not spoken of", () => {
  const items = { removed_tokens: 20_000, added_tokens: 0 };
  expect(beyondItems(side(94_400), side(71_900), items)).toBeUndefined();
});

test("what a provider counted beside the items is said", () => {
  const items = { removed_tokens: 1_500, added_tokens: 0 };
  const beyond = beyondItems(side(94_400), side(71_900), items);
  expect(beyond?.text).toMatch(
    /^The other 21\.0k tokens by which the sizes differ are in no item\./,
  );
  expect(beyond?.exact).toBe("21,000 tokens");
});
