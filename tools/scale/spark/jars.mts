/** Spark's jars from its Python package, and those with which it reaches S3. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fetchWith, inCache, requireProgram } from "../component.mts";
import { fetchJars } from "../maven.mts";

/** The package, pinned by its checksum. */
const pyspark = {
  version: "4.3.0",
  sha256: "e8c517948eff7088a7aa07449aa8eafa4a15a8d50319de2525a6fd26622476c6",
} as const;
const pom = new URL("pom.xml", import.meta.url).pathname;

/** Returns the folder of Spark's jars, which pip fetches once. */
export async function sparkJars(): Promise<string> {
  const { version, sha256 } = pyspark;
  return await inCache(`spark-${version}`, `Spark ${version} (460 MB)`, async (work) => {
    const remedy = "it must reach a Python package index";
    const python = requireProgram("python3", "install Python 3 with pip");
    writeFileSync(join(work, "requirements.txt"), `pyspark==${version} --hash=sha256:${sha256}\n`);
    const options = ["--no-deps", "--no-binary", ":all:", "--require-hashes", "-r", "requirements.txt"];
    await fetchWith(python, ["-m", "pip", "download", ...options], { cwd: work, remedy });
    const name = `pyspark-${version}`;
    const tar = requireProgram("tar", "install tar");
    await fetchWith(tar, ["-xzf", `${name}.tar.gz`, `${name}/deps/jars`], {
      cwd: work,
      remedy: "the disk may be full",
    });
    return join(work, name, "deps/jars");
  });
}

/** Returns the folder of the jars that Spark's own lack for S3, which Maven fetches once. */
export async function s3Jars(): Promise<string> {
  const own = new Set(readdirSync(await sparkJars()).map(artifactOf));
  return await fetchJars({
    name: `spark-${pyspark.version}-s3`,
    title: "Spark's jars for S3 (14 MB)",
    pom,
    // Spark has other versions of some; of logging, it has replacements under other names.
    isDropped: (jar) =>
      own.has(artifactOf(jar)) || (/^(commons-logging|netty)-/.test(jar) && !jar.startsWith("netty-nio-client")),
    sha256: "7429747d8e1e2c77dfdf3e1b3385d471dcfe2e46606cd1075f9db2e377f2558c",
  });
}

/** Returns the name of a jar's artifact: its file name without the version. */
function artifactOf(jar: string): string {
  return jar.replace(/-\d.*$/, "");
}
