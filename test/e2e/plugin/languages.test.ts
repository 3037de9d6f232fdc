import { execFile } from "node:child_process";
import { cpSync, existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";
import { LocalWorkspace, PulumiCommand } from "@pulumi/pulumi/automation";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { pulumiEnvironment, pulumiRoot, queriesOf, root, startService } from "../provider/harness";

const execute = promisify(execFile);

/** Additional requirements of a program. */
const preparations = {
  yaml: () => Promise.resolve(),
  async python(folder: string, sdks: string) {
    await execute("python3", ["-m", "venv", "venv"], { cwd: folder });
    await execute(join(folder, "venv/bin/pip"), ["install", "--quiet", join(sdks, "python")], { cwd: folder });
  },
  async go(folder: string, sdks: string) {
    cpSync(join(sdks, "go"), join(folder, "sdk"), { recursive: true });
    const env = { ...process.env, GOFLAGS: "-mod=mod", GOWORK: "off" };
    await execute("go", ["build", "-o", "program", "."], { cwd: folder, env, maxBuffer: 1e8 });
  },
} as const satisfies Record<string, (folder: string, sdks: string) => Promise<void>>;

type Language = keyof typeof preparations;
const languages = Object.keys(preparations) as Language[];

/** Returns the missing requirement for a program in a language; undefined if it can run. */
function missing(language: Language): string | undefined {
  const folders = [join(pulumiRoot(), "bin"), ...(process.env["PATH"] ?? "").split(delimiter)];
  // The official Pulumi CLI includes the language hosts; one built from its Go module does not. SDKs need Go.
  const needed = [`pulumi-language-${language}`, ...(language === "yaml" ? [] : ["go"])];
  return needed.find((program) => !folders.some((folder) => existsSync(join(folder, program))));
}

describe("programs in other languages", () => {
  let service: TestService;
  let sdks: string;

  beforeAll(async () => {
    sdks = mkdtempSync(join(tmpdir(), "dag-languages-"));
    const needed = languages.some((language) => language !== "yaml" && missing(language) === undefined);
    if (needed) await execute(process.execPath, [join(root, "tools/release/sdks.mjs"), sdks]);
    service = await startService({
      objects: { "dag://data/raw/birds.csv": "owl,2\nwren,5\n" },
      buckets: ["results", "tables"],
    });
  }, 600_000);
  afterAll(async () => {
    await service?.close();
    if (sdks !== undefined) rmSync(sdks, { recursive: true, force: true, maxRetries: 3 });
  });

  for (const language of languages) {
    const lacking = missing(language);
    if (lacking !== undefined) console.warn(`skipped: programs in ${language}, since there is no ${lacking}`);

    test.skipIf(lacking !== undefined)(
      `${language}: preview, up, up again, refresh and destroy; each query runs once`,
      async () => {
        const folder = mkdtempSync(join(tmpdir(), `dag-${language}-`));
        try {
          cpSync(join(__dirname, "programs", language), folder, { recursive: true });
          mkdirSync(join(folder, "state"));
          await preparations[language](folder, sdks);
          const stack = await stackIn(folder, service);
          const before = (await queriesOf(service)).length;

          expect((await stack.preview()).changeSummary).toEqual({ create: 3 });
          const { outputs } = await stack.up();
          expect(outputs).toMatchObject({ rows: { value: [["7"]] }, status: { value: "norm" } });
          expect(outputs["table"]!.value).toMatch(/^tables\.birds_[0-9a-f]{7}$/);

          expect((await stack.up()).summary.resourceChanges).toEqual({ same: 3 });
          expect((await stack.refresh()).summary.resourceChanges).toEqual({ same: 3 });
          expect((await queriesOf(service)).length - before).toBe(2);
          expect((await stack.destroy()).summary.resourceChanges).toEqual({ delete: 3 });
        } finally {
          rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
        }
      },
      900_000,
    );
  }
});

/** Creates a stack of the program in a folder, with the plugin and the program's Python on PATH. */
async function stackIn(folder: string, service: TestService) {
  const environment = pulumiEnvironment(folder);
  return LocalWorkspace.createOrSelectStack(
    { stackName: "dev", workDir: folder },
    {
      pulumiCommand: await PulumiCommand.get({ root: pulumiRoot(), skipVersionCheck: true }),
      envVars: {
        ...environment,
        PATH: [join(root, "bin"), join(folder, "venv/bin"), environment["PATH"]].join(delimiter),
        GOFLAGS: "-mod=mod",
        GOWORK: "off",
        DAG_ENDPOINT: service.url,
        DAG_ACCESS_KEY_ID: service.credentials.accessKeyId,
        DAG_SECRET_ACCESS_KEY: service.credentials.secretAccessKey,
        DAG_STORAGE: `file:${service.bucketsDirectory}`,
        DAG_POLL_INTERVAL: "250",
      },
    },
  );
}
