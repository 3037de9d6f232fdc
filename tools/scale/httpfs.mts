/** DuckDB's extension httpfs, with which `duckdb` clusters read Parquet objects on S3 by ranges. */
import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fetchWith, inCache, requireProgram } from "./component.mts";

/**
 * The package, with the SHA-256 of its wheel for each platform. Its version is that of DuckDB, which checks the signature
 * of the extension itself.
 */
const httpfs = {
  name: "duckdb-extension-httpfs",
  version: "1.5.5",
  sha256: {
    "Linux x64": "84913dbe172ccb54368de2c4a020c38ca8b0e76f99df548f7fac37934cc7826f",
    "Linux arm64": "567d17e398fc29f7ea4bc42ea277ea19643bd1ad1815f676cb6dd994b50399bb",
    "macOS x64": "5dc6e48e7a6d4c775d88fcd9b6529b385559600c0cd17a2600addfdd34ae3060",
    "macOS arm64": "a6d9b245ac83834543354e826020b35b8dba16291bb876b2b00bd49f2c6aeb9d",
    "Windows x64": "138fd4368906c04636642023c123bd564d1bd1b9b75cd762f9f9bfad6fccb1ba",
  },
} as const;

/** Returns the path of the extension, which pip fetches once. */
export async function httpfsExtension(): Promise<string> {
  const { name, version, sha256 } = httpfs;
  const folder = await inCache(`httpfs-${version}`, `DuckDB's httpfs ${version} (7 MB)`, async (work) => {
    const remedy = "it must reach a Python package index that has the package for this platform";
    const python = requireProgram("python3", "install Python 3 with pip");
    const hashes = Object.values(sha256).map((sum) => ` --hash=sha256:${sum}`);
    writeFileSync(join(work, "requirements.txt"), `${name}==${version}${hashes.join("")}\n`);
    const options = ["--no-deps", "--only-binary", ":all:", "--require-hashes", "-r", "requirements.txt"];
    await fetchWith(python, ["-m", "pip", "download", ...options], { cwd: work, remedy });
    const wheel = readdirSync(work).find((file) => file.endsWith(".whl"))!;
    await fetchWith(python, ["-m", "zipfile", "-e", wheel, "content"], { cwd: work, remedy: "the disk may be full" });
    return join(work, "content", "duckdb_extension_httpfs", "extensions", `v${version}`);
  });
  return join(folder, "httpfs.duckdb_extension");
}
