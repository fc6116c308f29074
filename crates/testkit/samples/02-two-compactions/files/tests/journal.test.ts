import { expect, test } from "vitest";
import { rowId, toPosting } from "../src/journal.ts";

const row = { bookedOn: "01.02.2026", payee: "A", purpose: "Ref 1", amount: "-12,50", currency: "EUR" };

test("turns a row into a posting", () => {
  expect(toPosting(row, "expenses:books").date).toBe("2026-02-01");
});

test("the same row has the same id", () => {
  expect(rowId(row)).toBe(rowId({ ...row }));
});
