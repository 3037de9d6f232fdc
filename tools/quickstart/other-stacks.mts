/** Stacks of the user in the quickstart's Pulumi backend, which `env.sh` names: deleting it would lose what they have made. */
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";

interface Checkpoint {
  readonly checkpoint?: { readonly latest?: { readonly resources?: readonly { readonly type?: string }[] } };
}

/** Types of resources that every stack has. */
const ofPulumi = /^pulumi:(?:pulumi:Stack|providers:)/;

/**
 * Returns the stacks that have resources, as `project/stack`, besides the quickstart's own.
 * @param state folder of the backend
 */
export function otherStacks(state: string, own: string): string[] {
  const folder = join(state, ".pulumi", "stacks");
  if (!existsSync(folder)) return [];
  const projects = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  return projects
    .flatMap(({ name }) =>
      readdirSync(join(folder, name))
        .filter((file) => file.endsWith(".json") && hasResources(join(folder, name, file)))
        .map((file) => `${name}/${file.slice(0, -".json".length)}`),
    )
    .filter((stack) => stack !== own);
}

/** Returns true also for a file that cannot be read. */
function hasResources(file: string): boolean {
  let checkpoint: Checkpoint["checkpoint"];
  try {
    ({ checkpoint } = JSON.parse(readFileSync(file, "utf8")) as Checkpoint);
  } catch {
    return true;
  }
  return (checkpoint?.latest?.resources ?? []).some(({ type = "" }) => !ofPulumi.test(type));
}
