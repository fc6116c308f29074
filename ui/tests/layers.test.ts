import { expect, test, vi } from "vitest";
import { dismiss } from "../src/lib/ui/dismiss";
import { enter, isTop } from "../src/lib/ui/layers";
import { sortName } from "../src/lib/sessions/sorts";

const escape = (): boolean =>
  window.dispatchEvent(new KeyboardEvent("keydown", { key: "Escape", cancelable: true }));

test("Escape closes what was opened last, and what is under a dialog stays", () => {
  const below = vi.fn();
  const above = vi.fn();
  const first = dismiss(document.createElement("div"), { onclose: below });
  const second = dismiss(document.createElement("div"), { onclose: above });
  escape();
  expect([below.mock.calls.length, above.mock.calls.length]).toEqual([0, 1]);
  second.destroy();
  const dialog = {};
  const leave = enter(dialog);
  expect(isTop(dialog)).toBe(true);
  escape();
  expect(below).not.toHaveBeenCalled();
  leave();
  escape();
  expect(below).toHaveBeenCalledOnce();
  first.destroy();
});

test("the order by size is named for hits in a search", () => {
  expect(sortName("size", false)).toBe("Largest file");
  expect(sortName("size", true)).toBe("Largest hit");
});
