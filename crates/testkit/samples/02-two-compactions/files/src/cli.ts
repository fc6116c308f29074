import { readFileSync, writeFileSync } from "node:fs";
import { readStatement } from "./statement.ts";
import { rowId, toPosting } from "./journal.ts";
import { accountFor } from "./rules.ts";

const [file, journal] = process.argv.slice(2);
const rules = JSON.parse(readFileSync("rules.json", "utf8"));
const rows = readStatement(readFileSync(file, "utf8"));
const postings = rows.map((row) => toPosting(row, accountFor(row.payee, rules)));
writeFileSync(journal, postings.map((posting) => JSON.stringify(posting)).join("\n"));
console.log(`${postings.length} postings, first id ${rowId(rows[0])}`);
