// Strings of the interface: texts and attributes of components, string literals of scripts.
import { readFileSync } from "node:fs";
import { parse } from "svelte/compiler";
import ts from "typescript";

/** Attributes whose text a user sees or hears. */
const SHOWN = new Set(["title", "aria-label", "placeholder", "label", "alt", "text", "hint"]);
/** Attributes that never hold text for a reader. */
const CODE = /^(class|style|id|data-|d$|href|role|bind|on|viewBox|stroke|fill|type|key$)/;

/** Every string of a component as `{ line, text }`. */
export function ofComponent(file) {
  const source = readFileSync(file, "utf8");
  const found = [];
  const line = (at) => source.slice(0, at).split("\n").length;
  const add = (at, text) => {
    const clean = text.replace(/\s+/g, " ").trim();
    if (/[A-Za-z]{2}/.test(clean)) found.push({ line: line(at), text: clean });
  };
  const walk = (node, inside) => {
    if (!node || typeof node !== "object") return;
    if (Array.isArray(node)) return node.forEach((child) => walk(child, inside));
    switch (node.type) {
      case "Text":
        if (inside !== "code") add(node.start, node.data);
        return;
      case "Attribute":
        return walk(
          node.value,
          CODE.test(node.name) ? "code" : SHOWN.has(node.name) ? "" : "maybe",
        );
      case "ClassDirective":
      case "StyleDirective":
      case "Comment":
        return;
      case "Literal":
        if (typeof node.value === "string" && inside !== "code" && shown(node.value))
          add(node.start, node.value);
        return;
      case "TemplateLiteral":
        if (inside !== "code") {
          const text = node.quasis.map((part) => part.value.cooked).join("{}");
          if (shown(text)) add(node.start, text);
        }
        return walk(node.expressions, inside);
      case "ImportDeclaration":
        return;
    }
    for (const [key, child] of Object.entries(node))
      if (key !== "css" && key !== "typeAnnotation" && key !== "metadata" && key !== "loc")
        walk(child, inside);
  };
  const tree = parse(source, { modern: true, filename: file });
  walk([tree.instance, tree.module, tree.fragment], "");
  return found.sort((a, b) => a.line - b.line);
}

/** Every string of a script as `{ line, text }`. */
export function ofScript(file) {
  const source = ts.createSourceFile(
    file,
    readFileSync(file, "utf8"),
    ts.ScriptTarget.Latest,
    true,
  );
  const found = [];
  const walk = (node) => {
    if (ts.isImportDeclaration(node) || ts.isExportDeclaration(node) || ts.isTypeNode(node)) return;
    let text = null;
    if (ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node)) text = node.text;
    else if (ts.isTemplateExpression(node))
      text = node.head.text + node.templateSpans.map((span) => `{}${span.literal.text}`).join("");
    if (text !== null && shown(text))
      found.push({
        line: source.getLineAndCharacterOfPosition(node.getStart()).line + 1,
        text: text.replace(/\s+/g, " ").trim(),
      });
    ts.forEachChild(node, walk);
  };
  walk(source);
  return found;
}

/** Sentences, and words with a capital: not keys, selectors or file names. */
function shown(text) {
  if (/^[#.[]|^data-|^https?:|=>|^M[\d ]/.test(text)) return false;
  return (
    (/[A-Za-z]{2}.* |\s[A-Za-z]{2}/.test(text) && !/^[a-z-]+(\s[a-z]+-[a-z-]+)+$/.test(text)) ||
    /^[A-Z][a-z]/.test(text)
  );
}
