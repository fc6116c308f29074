import { parse } from "csv-parse/sync";

/** One row of a bank's export, as text. */
export interface Row {
  bookedOn: string;
  payee: string;
  purpose: string;
  amount: string;
  currency: string;
}

/** Reads a statement; the first line names the columns. */
export function readStatement(text: string): Row[] {
  const records: Record<string, string>[] = parse(text, {
    columns: true,
    delimiter: ";",
    relax_quotes: true,
    skip_empty_lines: true,
  });
  return records.map((record) => ({
    bookedOn: record["Buchungstag"],
    payee: record["Auftraggeber/Empfänger"],
    purpose: record["Verwendungszweck"],
    amount: record["Betrag"],
    currency: record["Währung"],
  }));
}
