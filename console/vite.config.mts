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
  },
});
