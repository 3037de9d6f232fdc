import { defineConfig } from "vitest/config";

/** unit: source, no processes. contract: the built service over real sockets. e2e: the real Pulumi engine. */
const project = (name: string, testTimeout: number, retry = 0) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout, retry },
});

// In CI, what involves processes gets a second try, which the report shows as `(retry x1)`: a shared machine may stall.
const retry = process.env["CI"] ? 1 : 0;

export default defineConfig({
  test: {
    pool: "forks",
    reporters: ["default"],
    server: { deps: { inline: [/dt-sql-parser/, /antlr4/] } },
    projects: [project("unit", 30_000), project("contract", 120_000, retry), project("e2e", 300_000, retry)],
  },
});
