import { expect, test } from "vitest";
import { readStatement } from "../src/statement.ts";

const HEADER = "Buchungstag;Wertstellung;Auftraggeber/Empfänger;Verwendungszweck;Betrag;Währung\n";

test("reads a row", () => {
  const [row] = readStatement(`${HEADER}01.02.2026;01.02.2026;City Library;Ref 1;-12,50;EUR\n`);
  expect(row.payee).toBe("City Library");
});

test("a quoted field may hold the delimiter", () => {
  const [row] = readStatement(`${HEADER}01.02.2026;01.02.2026;"Market; Stand 12";Ref 1;-3,00;EUR\n`);
  expect(row.payee).toBe("Market; Stand 12");
});
