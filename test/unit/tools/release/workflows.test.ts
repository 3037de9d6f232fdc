/** The workflows: their steps are commands that the rehearsal runs, and no job that builds or tests has a token. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";

interface Job {
  readonly permissions?: Readonly<Record<string, string>>;
  readonly environment?: string;
  readonly steps: readonly {
    readonly uses?: string;
    readonly run?: string;
    readonly env?: Readonly<Record<string, string>>;
  }[];
}

const root = join(__dirname, "../../../..");
const folder = join(root, ".github/workflows");
const workflows = readdirSync(folder).map((file) => {
  const text = readFileSync(join(folder, file), "utf8");
  return { file, text, ...(parse(text) as { permissions: object; jobs: Readonly<Record<string, Job>> }) };
});
const release = workflows.find(({ file }) => file === "release.yml")!;
const releaseJobs = Object.entries(release.jobs);

describe.each(workflows)("$file", ({ text, permissions, jobs }) => {
  test("has each action pinned by a commit, with its version beside it", () => {
    const uses = [...text.matchAll(/uses: (.*)/g)].map(([, action = ""]) => action);
    expect(uses.filter((action) => !/^[\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(action))).toEqual([]);
  });

  test("may only read, but for jobs that say more", () => {
    expect(permissions).toEqual({ contents: "read" });
  });

  test("has no secret but in an environment with a reviewer", () => {
    const withSecrets = Object.values(jobs).filter((job) => JSON.stringify(job).includes("secrets."));
    expect(withSecrets.map(({ environment }) => environment)).toEqual(withSecrets.map(() => "release"));
  });
});

test("release.yml: each step is one command of the repository", () => {
  const commands = releaseJobs.flatMap(([, { steps }]) => steps.flatMap(({ run }) => run ?? []));
  const known =
    /^(?:node (?:tools\/release|scripts)\/[\w-]+\.mjs[\w /.-]*(?: >> "\$GITHUB_OUTPUT")?|npm (?:test|run check)|python3 -m pip install \w+==[\d.]+)$/;
  expect(commands.filter((command) => !known.test(command))).toEqual([]);
});

test("release.yml: the rehearsal runs each step of it, but the one that needs GitHub", () => {
  const called = [...release.text.matchAll(/tools\/release\/([\w-]+)\.mjs/g)].map(([, name = ""]) => name);
  const rehearsal = readFileSync(join(root, "tools/release/rehearsal/steps.mjs"), "utf8");
  const [, publications = ""] = /publications = [^[]*\[(.*)\]/.exec(rehearsal)!;
  const rehearsed = [
    ...[...rehearsal.matchAll(/step\("([\w-]+)\.mjs"/g)].map(([, name = ""]) => name),
    ...[...publications.matchAll(/"(\w+)"/g)].map(([, name = ""]) => `publish-${name}`),
    "propose",
  ];
  expect([...new Set(called)].toSorted()).toEqual([...new Set(rehearsed)].toSorted());
});

test("release.yml: jobs that install packages, build or test have no token", () => {
  const building = releaseJobs.filter(([, { steps }]) => steps.some(({ run = "" }) => /setup\.mjs|^npm /.test(run)));
  const without = building.filter(([name]) => name !== "propose");
  expect(without.map(([name]) => name)).toEqual(["test", "packages", "archives"]);
  for (const [, job] of without) {
    expect(job.permissions).toBeUndefined();
    expect(JSON.stringify(job)).not.toMatch(/secrets\.|token/i);
  }
});

test("release.yml: the job that publishes installs and builds nothing of the repository", () => {
  const { steps } = release.jobs["publish"]!;
  const commands = steps.flatMap(({ run }) => run ?? []);
  expect(commands.filter((command) => /setup\.mjs|npm|pack|build/.test(command))).toEqual([
    "node tools/release/publish-npm.mjs release",
  ]);
});
