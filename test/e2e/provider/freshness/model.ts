/** Compares what the real engine runs with the model of generated programs, for both front ends. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type * as pulumi from "@pulumi/pulumi";
import fc from "fast-check";
import { expect, test } from "vitest";
import { anySteps, Model, type Node, type Step } from "../../../unit/provider/lifecycles/freshness/programs";
import { rerun } from "./cases";
import type { FrontEnd } from "../../programs/front-ends";
import { startService, TestStack } from "../harness";

/**
 * Deploys a generated program with generated changes; what runs must be what the model says. The unit tests compare many
 * more programs with the model, without the engine.
 * @param seed one whose changes make something run.
 */
export function testModel(frontEnd: FrontEnd, seed: number): void {
  test("a generated program: each up runs what the model says, nothing less and nothing more", async () => {
    const [steps] = fc.sample(anySteps({ maxLength: 2, kills: false }), { numRuns: 1, seed });
    const service = await startService({ buckets: ["tables", "raw", "outside"] });
    try {
      await using stack = await TestStack.create(service);
      const model = new Model();
      for (const step of steps!) {
        putObjects(service.bucketsDirectory, step);
        stack.program = () => deploy(frontEnd, step.program);
        const run = await stack.up({ refresh: step.refresh });
        expect(run.ok, run.text).toBe(true);
        expect(rerun(run), JSON.stringify(step)).toEqual(model.run(step).toSorted());
      }
    } finally {
      await service.close();
    }
  });
}

function putObjects(directory: string, { program, objects }: Step): void {
  for (const { name, kind } of program) {
    const path = join(directory, kind === "table" ? "raw" : "outside", name, "o.csv");
    mkdirSync(dirname(path), { recursive: true });
    const text = "x,1\n".repeat(1 + (objects[name] ?? 0));
    // Written only when it changed, because a new time of modification is a change.
    if (written.get(path) !== text) writeFileSync(path, text);
    written.set(path, text);
  }
}

const written = new Map<string, string>();

function deploy(frontEnd: FrontEnd, program: readonly Node[]): void {
  const made = new Map<string, pulumi.Resource>();
  for (const node of program) {
    const { name, version, follows, keep, reads } = node;
    const resource =
      node.kind === "table"
        ? frontEnd.table(name, {
            clusterName: "demo",
            inputObjectKeys: [`dag://raw/${name}/*.csv`],
            outputDatabase: "tables",
            outputTable: name,
            schema: "string x, bigint n",
            deletionPolicy: "purge",
            triggers: [version],
            rerunOnInputChange: follows,
          })
        : frontEnd.query(
            name,
            {
              clusterName: "demo",
              query: statementOf(node),
              outputResourcePath: `dag://tables/${name}/`,
              rerunOnInputChange: follows,
              rerunWithTables: !keep,
            },
            frontEnd.reading(...reads.map((read) => made.get(read)!)),
          );
    made.set(name, resource);
  }
}

function statementOf({ name, reads, version, follows }: Node): string {
  const tables = [...reads.map((read) => `tables.${read}`), ...(follows ? [`outside.${name}`] : [])];
  const from = tables.map((table, index) => `${table} t${index}`).join(" CROSS JOIN ");
  return `SELECT count(*) AS n, ${version} AS version FROM ${from}`;
}
