// Fails where a phrase of the table "Banned phrases" in CONTRIBUTING.md came back.
//
//   scripts/words [FOLDER...]
import { readFileSync } from "node:fs";
import { docs, files, strings } from "./list.mjs";

/** The table's phrases with what to write instead; CONTRIBUTING.md is the only list. */
function banned() {
  const page = readFileSync("CONTRIBUTING.md", "utf8");
  const table = page.slice(page.indexOf("Banned phrases, checked"));
  const rows = table.slice(0, table.indexOf("\n## ")).matchAll(/^\| (`.*`) \| (.*) \|$/gm);
  return [...rows].flatMap(([, phrases, instead]) =>
    [...phrases.matchAll(/`([^`]+)`/g)].map(([, phrase]) => ({
      phrase,
      instead,
      pattern: new RegExp(`\\b${phrase.replace(/ /g, "\\s+")}\\b`, "i"),
    })),
  );
}

/** Files that may quote the phrases: the list itself. */
const QUOTES = new Set(["CONTRIBUTING.md"]);

const list = banned();
if (list.length === 0) throw new Error("CONTRIBUTING.md has no table of banned phrases");
let found = 0;
for (const path of files(process.argv.slice(2))) {
  if (QUOTES.has(path)) continue;
  for (const { line, text } of [...strings(path), ...docs(path)])
    for (const { phrase, instead, pattern } of list)
      if (pattern.test(text)) {
        found++;
        console.log(`${path}:${line}: not "${phrase}", but: ${instead}\n    ${text.slice(0, 200)}`);
      }
}
if (found > 0)
  console.log(`${found} banned phrases; CONTRIBUTING.md, "Words", says what to write.`);
process.exit(found > 0 ? 1 : 0);
