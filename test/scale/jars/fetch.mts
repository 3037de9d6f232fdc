/** Fetches sets of jars with Maven, once, into the user's cache folder. */
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { once } from "node:events";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";

/** The folder in which servers for tests are kept. */
export const serverCache = join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "pulumi-dag");

/**
 * Returns the folder of a set of jars. `<name>/pom.xml` beside this file says where they come from, and `jars.sha256`
 * which of them belong to the set: the others, such as those that the server has itself, are dropped.
 * @param name such as `spark-s3`
 * @throws Error when `mvn` is missing, or a jar is another one
 */
export async function fetchJars(name: string): Promise<string> {
  const definition = join(import.meta.dirname, name);
  const checksums = readFileSync(join(definition, "jars.sha256"), "utf8").trim();
  const folder = join(serverCache, `${name}-${sha256(checksums).slice(0, 12)}`);
  if (existsSync(folder)) return folder;
  mkdirSync(serverCache, { recursive: true });
  const work = mkdtempSync(join(serverCache, `${name}-`));
  try {
    console.log(`downloading the jars of ${name} with mvn (about 20 MB, only once)`);
    copyFileSync(join(definition, "pom.xml"), join(work, "pom.xml"));
    const maven = spawn("mvn", ["-q", "dependency:copy-dependencies", `-DoutputDirectory=${join(work, "all")}`], {
      cwd: work,
      stdio: "inherit",
    });
    const [code] = await once(maven, "exit");
    if (code !== 0) throw new Error(`mvn failed with exit code ${code} for ${join(definition, "pom.xml")}`);
    mkdirSync(join(work, "jars"));
    for (const line of checksums.split("\n")) {
      const [expected, jar = ""] = line.split(/\s+/);
      const file = join(work, "all", jar);
      if (sha256(readFileSync(file)) !== expected) throw new Error(`${jar} has another checksum than in jars.sha256`);
      renameSync(file, join(work, "jars", jar));
    }
    renameSync(join(work, "jars"), folder);
    return folder;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

const sha256 = (content: string | Uint8Array) => createHash("sha256").update(content).digest("hex");
