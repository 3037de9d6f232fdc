/** Jars from Maven repositories, at the versions that a POM pins. */
import { createHash } from "node:crypto";
import { copyFileSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fetchWith, inCache, MissingComponent, requireProgram } from "./component.mts";

/** A set of jars. */
export interface Jars {
  /** Its folder in the cache. */
  readonly name: string;
  /** What it is, and how large. */
  readonly title: string;
  /** File that names the artifacts. */
  readonly pom: string;
  /** Tells which of the jars are not needed. */
  readonly isDropped?: (jar: string) => boolean;
  /** SHA-256 of the list of the jars' own SHA-256 sums. @default they are not compared */
  readonly sha256?: string;
}

/** Returns the folder of the jars, which Maven fetches once. */
export async function fetchJars({ name, title, pom, isDropped = () => false, sha256 }: Jars): Promise<string> {
  return await inCache(name, title, async (work) => {
    const maven = requireProgram("mvn", "install Apache Maven");
    const jars = join(work, "jars");
    copyFileSync(pom, join(work, "pom.xml"));
    const args = ["dependency:copy-dependencies", "-q", "-B", `-DoutputDirectory=${jars}`];
    await fetchWith(maven, args, { cwd: work, remedy: "it must reach a Maven repository" });
    for (const jar of readdirSync(jars)) if (isDropped(jar)) rmSync(join(jars, jar));
    const found = sumOf(jars);
    if (sha256 !== undefined && found !== sha256) {
      throw new MissingComponent(
        `the jars of ${title} have the checksum ${found} instead of ${sha256}: the Maven repository serves other files than the tested ones`,
      );
    }
    return jars;
  });
}

function sumOf(folder: string): string {
  const names = readdirSync(folder).toSorted();
  const sums = names.map((name) => `${checksum(readFileSync(join(folder, name)))}  ${name}\n`);
  return checksum(sums.join(""));
}

function checksum(content: string | Buffer): string {
  return createHash("sha256").update(content).digest("hex");
}
