/** Generates the tables of TPC-H with a program from PyPI, and keeps them in the user's cache folder. */
import { spawnSync } from "node:child_process";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The generator; pip checks that what it downloads has one of these digests, one a platform. */
const generator = {
  name: "tpchgen-cli",
  version: "4.0.0",
  sha256: [
    "04260113d9ff7f63dd6defac059c176ed225a93fd53b67460065b6b544935512",
    "e6883a74e88607322462f1cdc9d2864dc948ecf2f25d235969dd3020887e6f5b",
    "ef02a06ad5e17448acf64979fbdf8fa484133df863e2749516a4dc29c55df00b",
    "19ee231140c9e8cc4caf981cc166186c638e11a33744e3d32cff5bd7f2ba44a2",
    "722c750278e4ad658776468d54962ae4f5795894e1e894416cbec2520afe6192",
  ],
} as const;

export type TpchFormat = "csv" | "parquet";

/** Returns the folder of the tables as csv without header rows. */
export function tpchDataWithoutHeaders(scale: number): string {
  const source = tpchData("csv", scale);
  const folder = `${source}-without-headers`;
  if (existsSync(folder)) return folder;
  const work = mkdtempSync(`${folder}-work-`);
  try {
    for (const file of readdirSync(source)) {
      const bytes = readFileSync(join(source, file));
      writeFileSync(join(work, file), bytes.subarray(bytes.indexOf("\n") + 1));
    }
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

/**
 * Returns the folder of the tables of a scale factor, which has one file a table: `lineitem.csv`. The files of csv have
 * header rows.
 */
export function tpchData(format: TpchFormat, scale: number): string {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "dag-bench");
  const folder = join(cache, `${generator.name}-${generator.version}`, `${format}-${scale}`);
  if (existsSync(folder)) return folder;
  mkdirSync(cache, { recursive: true });
  const program = installed(cache);
  const work = mkdtempSync(join(cache, "work-"));
  try {
    console.log(`generating TPC-H at scale factor ${scale} as ${format}, once, into ${folder}`);
    run(program, [format, "--scale-factor", String(scale), "--output-dir", work, "--quiet"]);
    renameSync(work, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return folder;
}

function installed(cache: string): string {
  const folder = join(cache, `${generator.name}-${generator.version}`);
  const program = join(folder, "bin", generator.name);
  if (existsSync(program)) return program;
  const work = mkdtempSync(join(cache, "work-"));
  try {
    const requirements = join(work, "requirements.txt");
    const digests = generator.sha256.map((digest) => `--hash=sha256:${digest}`);
    writeFileSync(requirements, [`${generator.name}==${generator.version}`, ...digests].join(" "));
    const target = join(work, "program");
    const options = ["--quiet", "--disable-pip-version-check", "--no-deps", "--only-binary=:all:", "--require-hashes"];
    run("python3", ["-m", "pip", "install", ...options, "--target", target, "--requirement", requirements]);
    renameSync(target, folder);
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
  return program;
}

function run(program: string, parameters: readonly string[]): void {
  const { error, status } = spawnSync(program, parameters, { stdio: "inherit" });
  if (error) throw new Error(`cannot start ${program} (${error.message}): install Python 3 with pip`, { cause: error });
  if (status !== 0) throw new Error(`${program} ${parameters.join(" ")} ended with exit code ${status}`);
}
