import { describe, expect, test } from "vitest";
import {
  about,
  bytes,
  clock,
  allOf,
  costMeaning,
  costText,
  dayAndClock,
  dayChange,
  dollars,
  duration,
  minutesShared,
  percent,
  short,
  shortId,
  stopped,
  tip,
  when,
} from "../src/lib/text/format";
import { around, emphasis, pieces } from "../src/lib/text/ranges";

describe("numbers", () => {
  test("an estimate of almost nothing is less than something, not about it", () => {
    expect([about(0), about(0.0004), about(0.12)]).toEqual([
      "about $0",
      "less than $0.001",
      "about $0.120",
    ]);
  });
  test.each([
    [0, "0"],
    [999, "999"],
    [1_000, "1.0k"],
    [12_437, "12.4k"],
    [99_950, "100k"],
    [183_411, "183k"],
    [999_500, "1.00M"],
    [1_204_000, "1.20M"],
  ])("%d is %s", (value, text) => {
    expect(short(value)).toBe(text);
  });
  test("shares are never rounded to none or all", () => {
    expect([percent(0), percent(0.001), percent(0.5), percent(0.999), percent(1)]).toEqual([
      "0 %",
      "< 1 %",
      "50 %",
      "> 99 %",
      "100 %",
    ]);
  });
  test("money, time and sizes have their units", () => {
    expect([dollars(0), dollars(0.0004), dollars(0.0412), dollars(6.03)]).toEqual([
      "$0",
      "< $0.001",
      "$0.041",
      "$6.03",
    ]);
    expect([duration(340), duration(4_210), duration(185_000)]).toEqual([
      "340 ms",
      "4.2 s",
      "3 min 05 s",
    ]);
    expect([3_599_400, 3_599_600, 7_375_000].map(duration)).toEqual([
      "59 min 59 s",
      "1 h 0 min",
      "2 h 3 min",
    ]);
    expect([bytes(812), bytes(371_000), bytes(54_200_000)]).toEqual(["812 B", "371 kB", "54.2 MB"]);
  });
  test("a day stands only where it changes", () => {
    const at = (day: number, hour: number, year = 2026): number =>
      new Date(year, 10, day, hour, 5).getTime();
    expect(clock(at(21, 14))).toBe("14:05");
    expect(clock(at(21, 14), true)).toBe("14:05:00");
    expect(dayAndClock(at(21, 14) + 9_000, at(22, 1), true)).toBe("21 Nov, 14:05:09");
    expect(dayChange(at(21, 14), null, at(22, 9))).toBe("21 Nov");
    expect(dayChange(at(21, 15), at(21, 14), at(22, 9))).toBe("");
    expect(dayChange(at(22, 0), at(21, 23), at(22, 9))).toBe("22 Nov");
    expect(dayChange(at(21, 14, 2025), null, at(22, 9))).toBe("21 Nov 2025");
  });

  test("lines that share a minute have seconds", () => {
    const at = (minute: number, second: number): number =>
      new Date(2026, 10, 21, 14, minute, second).getTime();
    expect(minutesShared([at(5, 1), null, at(6, 1)])).toBe(false);
    expect(minutesShared([at(5, 1), null, at(5, 59)])).toBe(true);
    expect(minutesShared([null, null])).toBe(false);
  });

  test("times are as short as they stay clear", () => {
    const now = new Date(2026, 10, 21, 16, 0).getTime();
    expect(when(new Date(2026, 10, 21, 14, 5).getTime(), now)).toBe("14:05");
    expect(when(new Date(2026, 10, 19, 14, 5).getTime(), now)).toBe("Thu 14:05");
    expect(when(new Date(2026, 9, 2).getTime(), now)).toBe("2 Oct");
    expect(when(new Date(2025, 9, 2).getTime(), now)).toBe("2 Oct 2025");
  });
});

describe("marked ranges", () => {
  test("bold words and code are drawn without their signs", () => {
    const text = "**Standard library only**, run `npm test` * 2 ** 3\n**open\n```sh\nx\n```";
    const drawn = emphasis(text).map(({ start, end, drawn }) => [drawn, text.slice(start, end)]);
    expect(drawn).toEqual([
      ["sign", "**"],
      ["strong", "Standard library only"],
      ["sign", "**"],
      ["sign", "`"],
      ["code", "npm test"],
      ["sign", "`"],
    ]);
  });

  test("overlapping marks share a piece and the text stays whole", () => {
    const cut = pieces("abcdefgh", [
      { start: 1, end: 5 },
      { start: 3, end: 7 },
      { start: 6, end: 99 },
    ]);
    expect(cut.map((p) => p.text).join("")).toBe("abcdefgh");
    expect(cut.map((p) => [p.text, p.marks.length])).toEqual([
      ["a", 0],
      ["bc", 1],
      ["de", 2],
      ["f", 1],
      ["g", 2],
      ["h", 1],
    ]);
  });
  test("empty and outside marks change nothing", () => {
    expect(
      pieces("ab", [
        { start: 1, end: 1 },
        { start: 5, end: 9 },
      ]),
    ).toEqual([{ text: "ab", start: 0, marks: [] }]);
  });
});

test("a match stands at the beginning of what is shown of a long text", () => {
  const text = `${"hay ".repeat(20)}needle and straw`;
  const at = text.indexOf("needle");
  const cut = around(text, [{ start: at, end: at + 6 }], 10);
  const [range] = cut.ranges;
  expect(cut.text).toBe("…hay hay needle and straw");
  expect(cut.text.slice(range!.start, range!.end)).toBe("needle");
  expect(around("a needle", [{ start: 2, end: 8 }], 10).text).toBe("a needle");
  expect(around("no match", [], 3).text).toBe("no match");
});

test.each([
  ["stop", "end of turn"],
  ["end_turn", "end of turn"],
  ["toolUse", "tool call"],
  ["tool-calls", "tool call"],
  ["something_new", "something new"],
])("a model that stopped with %s did so %s", (reason, said) => {
  expect(stopped(reason)).toBe(said);
});

test.each([
  ["3fabe66c", "3fabe66c"],
  ["ordinal:135", "record 136"],
  ["line:1012.2", "line 1013.2"],
  ["974e29e3-99ff-42e0-a495-1e24930eb650", "974e29e3"],
  ["msg_1fc146b36001OEcEeba4t4LLoH", "…a4t4LLoH"],
])("the id %s is told as %s", (id, told) => {
  expect(shortId(id)).toBe(told);
});

test.each([
  [0.39, false, false, "$0.39"],
  [0.39, true, false, "≈ $0.39"],
  [0.001, true, false, "< $0.01"],
  [0.39, true, true, "> $0.39"],
  [0.002, true, true, "> $0.002"],
  [0.0001, true, true, "> $0"],
])("a cost of %s, computed %s, in part %s: %s", (value, computed, partial, said) => {
  expect(costText(value, computed, partial)).toBe(said);
});

test("a cost without a part of it is called at least this much", () => {
  expect(costMeaning(true, true)).toContain("at least this much (>)");
  expect(costMeaning(true, false)).toBe("Cost computed from the catalog's prices");
  expect(costMeaning(false, false)).toBe("Cost recorded by the agent");
});

test("two of a kind are not called all", () => {
  expect([2, 3, 1_200].map(allOf)).toEqual(["The 2", "All 3", "All 1,200"]);
});

test.each([
  ["short", "short"],
  ["", ""],
  ["x".repeat(14_000), `${"x".repeat(400)}…`],
  ["😀".repeat(500), `${"😀".repeat(400)}…`],
  [Array(20).fill("line").join("\n"), `${Array(8).fill("line").join("\n")}…`],
])("a tooltip has the first lines of a text", (text, shown) => {
  expect(tip(text)).toBe(shown);
});
