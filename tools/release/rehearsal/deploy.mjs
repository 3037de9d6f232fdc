/** A deployment of a project, as a user makes it. */
import { must } from "../step.mjs";
import { expect } from "./checks.mjs";

/**
 * Deploys a project by the Pulumi CLI, and destroys it.
 *
 * @param {string} project its folder
 * @param {NodeJS.ProcessEnv} env
 * @param {{ rows: string, unchanged: number }} [expected] its output, and the resources with the stack
 */
export async function deployTwice(project, env, expected = { rows: '[["7"]]', unchanged: 3 }) {
  const pulumi = (/** @type {string[]} */ ...words) =>
    must("pulumi", [...words, "--non-interactive"], { cwd: project, env });
  await pulumi("stack", "init", "dev");
  await pulumi("up", "--yes", "--skip-preview");
  const rows = (await pulumi("stack", "output", "rows")).trim();
  expect(rows.replaceAll(/\s/g, "") === expected.rows, `the output rows is ${rows}`);
  const again = await pulumi("up", "--yes", "--skip-preview");
  expect(again.includes(`${expected.unchanged} unchanged`), `the second up changes something:\n${again}`);
  await pulumi("destroy", "--yes", "--skip-preview");
}
