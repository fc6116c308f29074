// Strings of presets and policies that users read, and the lines of documents.
import { readFileSync } from "node:fs";

/** Fields for readers; all others are keys, numbers or texts for models. */
const SHOWN = new Set([
  "description",
  "assumed",
  "meaning",
  "label",
  "source",
  "off",
  "notes",
  "note",
]);

/** Every text for readers of a JSON file as `{ line, text }`. */
export function ofJson(file) {
  const source = readFileSync(file, "utf8");
  const found = [];
  const walk = (value, shown) => {
    if (typeof value === "string") {
      const at = source.indexOf(JSON.stringify(value));
      if (shown && value.includes(" "))
        found.push({ line: source.slice(0, at).split("\n").length, text: value });
    } else if (Array.isArray(value)) value.forEach((one) => walk(one, shown));
    else if (value && typeof value === "object")
      for (const [key, one] of Object.entries(value))
        if (key !== "prompts") walk(one, SHOWN.has(key));
  };
  walk(JSON.parse(source), false);
  return found;
}

/** Every paragraph of a document as `{ line, text }`. */
export function ofDocument(file) {
  const found = [];
  let open = null;
  readFileSync(file, "utf8")
    .split("\n")
    .forEach((content, i) => {
      if (content.trim() === "") open = null;
      else if (open && !/^\s*([-*|]|\d+\.|#)/.test(content)) open.text += ` ${content.trim()}`;
      else found.push((open = { line: i + 1, text: content.trim() }));
    });
  return found;
}
