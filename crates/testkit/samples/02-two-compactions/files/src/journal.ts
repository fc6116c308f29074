import { createHash } from "node:crypto";
import type { Row } from "./statement.ts";

export interface Posting {
  date: string;
  account: string;
  amount: number;
  currency: string;
  memo: string;
}

/** A row's identity; the same row imported twice has the same one. */
export function rowId(row: Row): string {
  const text = [row.bookedOn, row.payee, row.purpose, row.amount].join("|");
  return createHash("sha256").update(text).digest("hex").slice(0, 12);
}

export function toPosting(row: Row, account: string): Posting {
  const [day, month, year] = row.bookedOn.split(".");
  return {
    date: `${year}-${month}-${day}`,
    account,
    amount: parseFloat(row.amount.replace(",", ".")),
    currency: row.currency,
    memo: row.purpose,
  };
}
