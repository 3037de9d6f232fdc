/** DuckDB's extension httpfs, with which `duckdb` clusters read Parquet objects on S3 by ranges. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fetchWith, inCache, requireProgram } from "./component.mts";

/** The package. Its version is that of DuckDB, which checks the signature of the extension itself. */
const httpfs = { name: "duckdb-extension-httpfs", version: "1.5.5" } as const;

/** Returns the path of the extension, which pip fetches once. */
export async function httpfsExtension(): Promise<string> {
  const { name, version } = httpfs;
  const folder = await inCache(`httpfs-${version}`, `DuckDB's httpfs ${version} (7 MB)`, async (work) => {
    const remedy = "it must reach a Python package index that has the package for this platform";
    const python = requireProgram("python3", "install Python 3 with pip");
    writeFileSync(join(work, "requirements.txt"), `${name}==${version}\n`);
    const options = ["--no-deps", "--only-binary", ":all:", "-r", "requirements.txt"];
    await fetchWith(python, ["-m", "pip", "download", ...options], { cwd: work, remedy });
    const wheel = readdirSync(work).find((file) => file.endsWith(".whl"))!;
    await fetchWith(python, ["-m", "zipfile", "-e", wheel, "content"], { cwd: work, remedy: "the disk may be full" });
    return join(work, "content", "duckdb_extension_httpfs", "extensions", `v${version}`);
  });
  return join(folder, "httpfs.duckdb_extension");
}
