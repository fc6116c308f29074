// Rules for the interface and for the tests that drive it. Run from the root of the repository, so
// that `tests/` is inside: `npm --prefix ui run lint`.
import js from "@eslint/js";
import svelte from "eslint-plugin-svelte";
import globals from "globals";
import ts from "typescript-eslint";
import svelteConfig from "./svelte.config.js";

export default ts.config(
  { ignores: ["**/node_modules/", "ui/dist/", "ui/public/", "ui/src/wire/"] },
  js.configs.recommended,
  ts.configs.recommended,
  svelte.configs.recommended,
  {
    files: ["ui/src/**", "ui/tests/**"],
    languageOptions: { globals: globals.browser },
  },
  {
    files: ["**/*.mjs", "ui/*.js", "ui/*.ts"],
    languageOptions: { globals: { ...globals.node, ...globals.browser } },
  },
  {
    files: ["**/*.svelte", "**/*.svelte.ts"],
    languageOptions: { parserOptions: { parser: ts.parser, svelteConfig } },
    rules: {
      // Props are declared with `let`; this rule knows them, the one of the language does not.
      "prefer-const": "off",
      "svelte/prefer-const": "error",
      // Maps and sets are replaced and not changed; the outline, with its 50,000 rows, counts
      // versions instead.
      "svelte/prefer-svelte-reactivity": "off",
      // {" "} keeps a space at the edge of a block, where the compiler would trim it.
      "svelte/no-useless-mustaches": "off",
    },
  },
  {
    rules: {
      eqeqeq: "error",
      "no-var": "error",
      "object-shorthand": "error",
      // TypeScript knows every name, in components as well.
      "no-undef": "off",
      "@typescript-eslint/consistent-type-imports": "error",
      "@typescript-eslint/no-unused-vars": [
        "error",
        { argsIgnorePattern: "^_", varsIgnorePattern: "^_" },
      ],
    },
  },
  {
    // JavaScript has no compiler that knows its names.
    files: ["**/*.mjs"],
    rules: { "no-undef": "error" },
  },
);
