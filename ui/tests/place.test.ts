import { describe, expect, test } from "vitest";
import { format, NOWHERE, parse, toTab, type Place } from "../src/lib/state/place";
import { takeToken, tokenIn } from "../src/host/http";

describe("the place in the address", () => {
  const places: Place[] = [
    NOWHERE,
    { ...NOWHERE, session: "a b/ü#", entry: "3fb1" },
    {
      session: "s",
      entry: "e",
      tab: "rerun",
      filter: "no_tools",
      was: "user_only",
      view: "canvas",
      query: 'path:src/ "x y"',
      find: "kind:user x",
      ledger: "entry:9",
      fact: "f12",
      against: "7",
      from: "8",
      compare: ["entry:1", "run2"],
      policies: ["codex", "gemini-cli"],
      plan: "1eyJj",
      leave: "@x",
      lab: "sets",
    },
  ];
  test.each(places)("comes back as it was: %o", (place) => {
    expect(parse(format(place))).toEqual(place);
  });
  test("nonsense becomes the default", () => {
    expect(parse("#tab=nope&show=1&view=x&compare=a")).toEqual(NOWHERE);
  });
});

test("a pasted address or token gives the token", () => {
  expect(tokenIn(" http://127.0.0.1:7411/?token=0a1b#s=x ")).toBe("0a1b");
  expect(tokenIn("http://localhost:7411/?a=1&token=0a1b&b=2")).toBe("0a1b");
  expect(tokenIn("0a1b\n")).toBe("0a1b");
});

test("the token leaves the address bar and stays for this tab", () => {
  window.history.replaceState(null, "", "/?token=abc#s=1");
  expect(takeToken(window.location, window.sessionStorage, window.history)).toBe("abc");
  expect(window.location.href).not.toContain("abc");
  expect(window.location.hash).toBe("#s=1");
  expect(takeToken(window.location, window.sessionStorage, window.history)).toBe("abc");
});

test("Re-run keeps the summary that was chosen on Summary", () => {
  const at = { ...NOWHERE, entry: "leaf", tab: "summary", ledger: "entry:c1" } as const;
  expect(toTab(at, "rerun")).toEqual({ tab: "rerun", entry: "c1" });
  expect(toTab(at, "runs")).toEqual({ tab: "runs" });
  // Nothing chosen, a run, all compactions together, or another tab: the entry stays.
  for (const other of [
    { ledger: null },
    { ledger: "run2" },
    { ledger: "chain" },
    { tab: "entry" },
  ] as Partial<Place>[])
    expect(toTab({ ...at, ...other }, "rerun")).toEqual({ tab: "rerun" });
});
