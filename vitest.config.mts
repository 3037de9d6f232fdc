import { defineConfig } from "vitest/config";

/** unit: source, no processes. contract: the built service over real sockets. e2e: the real Pulumi engine. */
const project = (name: string, testTimeout: number) => ({
  extends: true as const,
  test: { name, include: [`test/${name}/**/*.test.ts`], testTimeout, hookTimeout: testTimeout },
});

export default defineConfig({
  test: {
    pool: "forks",
    reporters: ["default"],
    server: { deps: { inline: [/dt-sql-parser/, /antlr4/] } },
    projects: [project("unit", 30_000), project("contract", 120_000), project("e2e", 300_000)],
  },
});
