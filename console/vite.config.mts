import { defineConfig } from "vite";

/** Builds the console to static files: no inline script or style, so that a strict Content-Security-Policy holds. */
export default defineConfig({
  root: import.meta.dirname,
  base: "/console/",
  logLevel: "warn",
  build: {
    outDir: "../service/dist/console",
    emptyOutDir: true,
    target: "es2022",
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 1000,
    rolldownOptions: {
      // The schemas follow zod's settings in one file: in another file they would be made before the settings are.
      output: { codeSplitting: { groups: [{ name: "schemas", test: /\/zod\/|zod-settings|\/contract\// }] } },
    },
  },
});
