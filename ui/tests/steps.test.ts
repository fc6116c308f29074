import { describe, expect, test } from "vitest";
import { lossNote, stepOf } from "../src/lib/ui/errors";
import { wordsOfStep } from "../src/lib/ui/steps";
import type { NextStepView, WireError } from "../src/wire/wire";
import written from "./next_steps.json";

/** One step of every kind, as the program makes them. */
const steps = written as NextStepView[];

describe("next steps", () => {
  test("all have words of the window, without options of the command line", () => {
    for (const step of steps) {
      const { hint, button } = wordsOfStep(step, "Do what the program says.");
      expect(hint, step.kind).toMatch(/^[A-Z].*\.$/);
      if (step.kind !== "set_up_program")
        expect(hint, step.kind).not.toMatch(/(^|\s)--?\w|palimpsest /);
      if (button) expect(button.label, step.kind).toMatch(/^[A-Z]/);
    }
  });

  test("a key is set in the provider settings", () => {
    const step = stepOf({
      hint: null,
      next: { kind: "set_key", provider: "openai", env: "OPENAI_API_KEY", no_keyring: false },
    });
    expect(step?.hint).toContain("OPENAI_API_KEY");
    expect(step?.button?.action).toEqual({ does: "settings", part: "providers" });
  });

  test("many names are left to the list", () => {
    const known = Array.from({ length: 60 }, (_, n) => `s${n}`);
    const step = { kind: "choose", what: "strategies", known, similar: [] as string[] } as const;
    expect(wordsOfStep(step, "").hint).toBe("Choose a strategy from the list.");
    const near = wordsOfStep({ ...step, similar: ["s1", "s2"] }, "");
    expect(near.hint).toBe("Similar names: s1, s2.");
  });

  test("an error without a next step has no hint", () => {
    expect(stepOf({ hint: null })).toBeNull();
  });
});

test("a deleted session is told once: below the title stands its path alone", () => {
  const error = {
    code: "not_found",
    message: "the session was deleted or moved since the session folders were read: /s/a.jsonl",
    hint: "rescan the session folders",
    next: { step: "index", roots: [] },
  } as unknown as WireError;
  expect(lossNote(error)).toEqual({ code: "not_found", message: "/s/a.jsonl", hint: null });
});
