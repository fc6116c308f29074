import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Toasts } from "../src/lib/state/toasts.svelte";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

const texts = (toasts: Toasts): string[] => toasts.list.map((toast) => toast.text);

test("information and warnings go by themselves, errors wait", () => {
  const toasts = new Toasts();
  toasts.say("21 sessions.");
  toasts.say("The index was rebuilt.", "warning");
  toasts.fail({ code: "internal", message: "the disk is full", hint: null });
  vi.advanceTimersByTime(6_000);
  expect(texts(toasts)).toEqual(["The index was rebuilt.", "The disk is full"]);
  vi.advanceTimersByTime(600_000);
  expect(texts(toasts)).toEqual(["The disk is full"]);
  toasts.dismiss(toasts.list[0]!.id);
  expect(texts(toasts)).toEqual([]);
});

test("none goes while the pointer is on them", () => {
  const toasts = new Toasts();
  toasts.say("21 sessions.");
  vi.advanceTimersByTime(4_000);
  toasts.hold();
  vi.advanceTimersByTime(60_000);
  expect(texts(toasts)).toEqual(["21 sessions."]);
  toasts.release();
  vi.advanceTimersByTime(6_000);
  expect(texts(toasts)).toEqual([]);
});
