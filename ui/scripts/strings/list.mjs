// Every string a user may read, with its place, as one list.
//
//   scripts/strings [--docs] [FOLDER...]
//
// `--docs` adds docstrings and comments of Rust and of the interface. FOLDERs choose files.
import { execFileSync } from "node:child_process";
import { ofDocument, ofJson } from "./assets.mjs";
import { ofComponent, ofScript } from "./page.mjs";
import { docsOfRust, ofRust } from "./rust.mjs";

/** What is no text for users: tests, generated types, what only builds the program. */
const OUTSIDE =
  /(^|\/)(tests?|fixtures|benches|samples|wire)\/|^ui\/(scripts|public)\/|\/tests?\.rs$|^crates\/testkit\/|host\/fake|^tools\//;

/** Paths of the repository's files, from its root. */
export function files(folders = []) {
  const all = execFileSync("git", [
    "ls-files",
    "--cached",
    "--others",
    "--exclude-standard",
    "--",
    ...folders,
  ]);
  return all
    .toString()
    .split("\n")
    .filter(
      (path) => path !== "" && !(OUTSIDE.test(path) && !path.startsWith("crates/api/src/wire/")),
    );
}

/** The strings of one file. */
export function strings(path) {
  if (path.endsWith(".svelte")) return ofComponent(path);
  if (/^ui\/src\/.*\.ts$/.test(path)) return ofScript(path);
  if (path.endsWith(".rs")) return ofRust(path);
  if (/^assets\/(presets\/.*|policies)\.json$/.test(path)) return ofJson(path);
  if (path.endsWith(".md")) return ofDocument(path);
  return [];
}

/** The docstrings and comments of one file. */
export function docs(path) {
  return /\.(rs|ts|svelte|mjs)$/.test(path) ? docsOfRust(path) : [];
}

if (process.argv[1] === import.meta.filename) {
  const args = process.argv.slice(2);
  for (const path of files(args.filter((arg) => !arg.startsWith("--")))) {
    const found = [...strings(path), ...(args.includes("--docs") ? docs(path) : [])];
    for (const { line, text } of found) console.log(`${path}:${line}\t${text}`);
  }
}
