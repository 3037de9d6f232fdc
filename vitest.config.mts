import { defineConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";

/**
 * One kind of test. Kinds of the same order run together, those of the next one after them.
 *
 * @param name also the folder of its tests
 * @param order its place among the kinds
 * @param maxWorkers test files at a time
 * @param testTimeout milliseconds for one test
 */
const project = (name: string, order: number, maxWorkers: number, testTimeout: number) => ({
  extends: true as const,
  test: {
    name,
    include: [`test/${name}/**/*.test.ts`],
    testTimeout,
    hookTimeout: testTimeout,
    maxWorkers,
    sequence: { groupOrder: order },
  },
});

/** Files of more than a minute, which would else be left alone at the end: many of them have four lines. */
const longest = [
  "e2e/provider/examples",
  "e2e/quickstart/",
  "e2e/programs/other-",
  "/freshness.",
  "/ownership.",
  "/interruption.",
  "browser/site.",
  "browser/quality.",
];

/**
 * Mixes the tests of the Pulumi engine and of the browser, which compute for most of their time, with the others, which
 * mostly wait: so that neither the processors nor the workers are idle. Begins with the longest ones of the former.
 */
class Mixed extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    const computes = ({ project: { name } }: TestSpecification) => name === "e2e" || name === "browser";
    const computing = sorted.filter(computes).toSorted((a, b) => rank(a) - rank(b));
    const waiting = sorted.filter((file) => !computes(file));
    if (computing.length === 0) return waiting;
    const until = (place: number) => Math.floor((place * waiting.length) / computing.length);
    return computing.flatMap((file, place) => [file, ...waiting.slice(until(place), until(place + 1))]);
  }
}

/** Returns the place of a file among those that compute. */
function rank({ moduleId }: TestSpecification): number {
  const place = longest.findIndex((part) => moduleId.includes(part));
  return place >= 0 ? place : longest.length;
}

/**
 * Unit tests import sources and do not start the built service, so that a worker loads the modules once for all its
 * files: half of the CPU time. What a test has replaced (a function, a variable of the environment) is put back before
 * the next one.
 */
const unit = project("unit", 0, 2, 30_000);
const unitProject = { ...unit, test: { ...unit.test, isolate: false, restoreMocks: true, unstubEnvs: true } };

const globalSetup = "test/scale/global-setup.mts";
/** A kind of the tests at scale. A process runs its files one after another, and loads their modules once. */
const scaleProject = (name: string, order: number, maxWorkers: number, include: string[], exclude: string[]) => {
  const { test, ...common } = project(name, order, maxWorkers, 300_000);
  return { ...common, test: { ...test, globalSetup, isolate: false, include, exclude } };
};
/**
 * They share the S3 server of the run, which each file empties and whose log they read, kill servers of their own, or run
 * statements of several seconds: Hive's tasks run in one process here, where such a task can get the input path of another
 * statement ("Invalid input path"), and fails.
 */
const alone = [
  "test/scale/**/s3-*.test.ts",
  "test/scale/several/*.test.ts",
  "test/scale/hive/restart.test.ts",
  "test/scale/hive/resume.test.ts",
];
const golden = project("conformance", 6, 1, 300_000);
const conformance = { ...golden, test: { ...golden.test, globalSetup } };

export default defineConfig({
  test: {
    pool: "forks",
    sequence: { sequencer: Mixed },
    // The default of one second is too short while other tests use the processors.
    expect: { poll: { timeout: 15_000 } },
    reporters: ["default"],
    server: { deps: { inline: [/dt-sql-parser/, /antlr4/] } },
    projects: [
      unitProject,
      // The built service over real sockets, its console in a browser, and the real Pulumi engine. In one group, because
      // the first kind waits for most of its time.
      project("contract", 1, 3, 120_000),
      project("browser", 1, 3, 120_000),
      project("e2e", 1, 3, 300_000),
      // Clusters on other servers, which need Java: only with `npm run test:scale`.
      ...(process.env["DAG_TEST_SCALE"]
        ? [
            scaleProject("scale", 4, 1, ["test/scale/**/*.test.ts"], alone),
            scaleProject("scale-alone", 5, 1, alone, []),
          ]
        : []),
      // Golden cases on such a cluster: only with `npm run conformance -- DIR --cluster NAME`.
      ...(process.env["DAG_CONFORMANCE"] ? [conformance] : []),
    ],
  },
});
