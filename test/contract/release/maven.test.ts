/** The publication of the Java SDK, against a server with the calls of Maven Central's Publisher API. */
import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { mavenFolder, releaseVersion } from "../../../tools/release/packages.mjs";
import { startMavenServer, type MavenServer } from "../../../tools/release/rehearsal/maven-server.mjs";
import { checksums, digest } from "../../../tools/release/step.mjs";

const script = join(__dirname, "../../../tools/release/publish-maven.mjs");
const version = releaseVersion();
const missing = ["gpg", "jar"].filter((program) => spawnSync(program, ["--version"]).status !== 0);
if (missing.length > 0) console.warn(`skipped: publish-maven, since there is no ${missing.join(" and no ")} on PATH`);

describe.skipIf(missing.length > 0)("publish-maven", () => {
  let folder: string;
  let release: string;
  let server: MavenServer;

  beforeEach(async () => {
    folder = mkdtempSync(join(tmpdir(), "dag-maven-"));
    release = join(folder, "release");
    mkdirSync(join(release, mavenFolder(version)), { recursive: true });
    for (const kind of [".pom", ".jar", "-sources.jar", "-javadoc.jar"]) write(kind, `contents of ${kind}`);
    server = await startMavenServer(join(folder, "server"));
  });
  afterEach(() => {
    server.close();
    rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
  });

  /** Writes a file of the release with its checksums, and signs the release off. */
  function write(kind: string, contents: string) {
    const file = join(release, mavenFolder(version), `dag-${version}${kind}`);
    writeFileSync(file, contents);
    for (const algorithm of ["md5", "sha1"] as const) writeFileSync(`${file}.${algorithm}`, digest(file, algorithm));
    writeFileSync(join(release, "SHA256SUMS"), checksums(release));
  }

  function publish(changed: NodeJS.ProcessEnv = {}): Promise<{ ok: boolean; text: string }> {
    const env = { ...process.env, ...server.env, ...changed };
    return new Promise((resolve) => {
      execFile(process.execPath, [script, release], { env }, (error, stdout, stderr) =>
        resolve({ ok: error === null, text: stdout + stderr }),
      );
    });
  }
  const published = () => readdirSync(server.repository);

  test("signs and uploads all files, and repeated it uploads nothing", async () => {
    expect(await publish()).toMatchObject({ ok: true, text: expect.stringMatching(/: published$/m) });
    const jar = join(server.repository, mavenFolder(version).slice("maven/".length), `dag-${version}.jar`);
    expect([existsSync(jar), existsSync(`${jar}.asc`)]).toEqual([true, true]);
    server.refuse(0);
    expect(await publish()).toMatchObject({ ok: true, text: expect.stringContaining("was published before") });
  });

  test("after a refused upload nothing is published, and the next run publishes all", async () => {
    server.refuse(0);
    const refused = await publish();
    expect(refused).toMatchObject({ ok: false, text: expect.stringContaining("answered 503") });
    expect([refused.text.includes("    at "), published()]).toEqual([false, []]);
    expect(await publish()).toMatchObject({ ok: true });
  });

  test("a bundle that is refused is reported with its reason", async () => {
    rmSync(join(release, mavenFolder(version), `dag-${version}.pom.sha1`));
    writeFileSync(join(release, "SHA256SUMS"), checksums(release));
    expect(await publish()).toMatchObject({ ok: false, text: expect.stringContaining("lacks .sha1") });
    expect(published()).toEqual([]);
  });

  test("refuses a version that is published with other contents", async () => {
    await publish();
    write(".jar", "other contents");
    expect(await publish()).toMatchObject({ ok: false, text: expect.stringContaining("release another version") });
  });

  test("names the settings that are missing", async () => {
    expect(await publish({ MAVEN_GPG_KEY: "" })).toMatchObject({
      ok: false,
      text: expect.stringContaining("set MAVEN_GPG_KEY: docs/releasing.md"),
    });
  });
});
