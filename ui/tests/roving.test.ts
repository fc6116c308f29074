import { afterEach, expect, test } from "vitest";
import { roving } from "../src/lib/ui/roving";

afterEach(() => document.body.replaceChildren());

function group(): HTMLElement {
  const box = document.createElement("div");
  box.innerHTML =
    '<button id="a"></button><button id="b"></button>' +
    '<div data-roving-apart><button id="p"></button></div><button id="c"></button>';
  document.body.append(box);
  return box;
}
const stops = (box: HTMLElement): string[] =>
  [...box.querySelectorAll("button")].filter((own) => own.tabIndex === 0).map((own) => own.id);
function press(key: string): void {
  document.activeElement?.dispatchEvent(
    new KeyboardEvent("keydown", { key, bubbles: true, cancelable: true }),
  );
}

test("a group is one tab stop and the arrow keys move inside it", () => {
  const box = group();
  roving(box);
  // The button in the panel stays as it is.
  expect(stops(box)).toEqual(["a", "p"]);
  document.getElementById("a")?.focus();
  press("ArrowRight");
  expect(document.activeElement?.id).toBe("b");
  press("ArrowRight");
  expect(document.activeElement?.id).toBe("c");
  expect(stops(box)).toEqual(["p", "c"]);
  press("ArrowRight");
  expect(document.activeElement?.id).toBe("a");
  press("End");
  expect(document.activeElement?.id).toBe("c");
});

test("the stop moves on when its button goes", async () => {
  const box = group();
  roving(box);
  document.getElementById("a")?.remove();
  await new Promise((done) => setTimeout(done));
  expect(stops(box)).toEqual(["b", "p"]);
});
