import { svelte } from "@sveltejs/vite-plugin-svelte";
import { defineConfig } from "vitest/config";

// `VITE_HOST=fake` builds or serves the window on made-up data, without a backend.
export default defineConfig({
  base: "./",
  plugins: [svelte()],
  // Testing needs Svelte's browser build, which Node would not pick by itself.
  resolve: process.env.VITEST ? { conditions: ["browser"] } : {},
  build: {
    outDir: process.env.OUT_DIR ?? "dist",
    target: "es2022",
    chunkSizeWarningLimit: 800,
    emptyOutDir: true,
  },
  test: {
    environment: "jsdom",
    include: ["src/**/*.test.ts", "tests/**/*.test.ts"],
    setupFiles: ["tests/setup.ts"],
    // A whole window in jsdom takes seconds where two cores also compile; waiting is not failing.
    testTimeout: 60_000,
    hookTimeout: 60_000,
  },
});
