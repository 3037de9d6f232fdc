/** The publication of archives, against a server with GitHub's calls for releases. */
import { execFile } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startReleaseServer } from "../../../tools/release/rehearsal/release-server.mjs";
import { checksums } from "../../../tools/release/step.mjs";

const script = join(__dirname, "../../../tools/release/publish-archives.mjs");
let folder: string;
let server: Awaited<ReturnType<typeof startReleaseServer>>;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "dag-archives-"));
  for (const name of ["archives", "sbom"]) mkdirSync(join(folder, name));
  writeFileSync(join(folder, "archives/plugin.tar.gz"), "archive");
  writeFileSync(join(folder, "sbom/plugin.cdx.json"), "{}");
  writeFileSync(join(folder, "SHA256SUMS"), checksums(folder));
  server = await startReleaseServer();
});
afterEach(() => {
  server.close();
  rmSync(folder, { recursive: true, force: true });
});

function publish(): Promise<{ ok: boolean; text: string }> {
  const env = { ...process.env, GITHUB_API_URL: server.url, GITHUB_REPOSITORY: "o/r", GITHUB_TOKEN: "t" };
  return new Promise((resolve) => {
    execFile(process.execPath, [script, folder], { env }, (error, stdout, stderr) =>
      resolve({ ok: error === null, text: stdout + stderr }),
    );
  });
}
const download = async (name: string) => (await fetch(`${server.url}/${name}`)).status;

test("publish-archives: uploads all files, and repeated it uploads none", async () => {
  expect(await publish()).toMatchObject({ ok: true, text: expect.stringContaining("plugin.tar.gz: uploaded") });
  expect(server.releases).toMatchObject([{ draft: false, assets: { length: 3 } }]);
  expect(await publish()).toMatchObject({ ok: true, text: expect.not.stringMatching(/: uploaded$/m) });
});

test("publish-archives: after a refused upload nothing is public, and the next run uploads the rest", async () => {
  server.refuse(1);
  expect(await publish()).toMatchObject({ ok: false, text: expect.stringContaining("answered 503") });
  expect([server.releases[0]?.draft, await download("plugin.tar.gz")]).toEqual([true, 404]);
  expect(await publish()).toMatchObject({ ok: true, text: expect.stringContaining("was uploaded before") });
  expect(await download("plugin.tar.gz")).toBe(200);
  // Pulumi refuses a download whose length it is not told.
  const { headers } = await fetch(`${server.url}/plugin.tar.gz`);
  expect(headers.get("content-length")).toBe("7");
});

test("publish-archives: refuses a folder that changed after its sign-off", async () => {
  writeFileSync(join(folder, "archives/plugin.tar.gz"), "another");
  expect(await publish()).toMatchObject({ ok: false, text: expect.stringContaining("signed off") });
  expect(server.releases).toEqual([]);
});

test("publish-archives: refuses what was uploaded with other contents of the same size", async () => {
  server.refuse(2);
  expect((await publish()).ok).toBe(false);
  writeFileSync(join(folder, "archives/plugin.tar.gz"), "another");
  writeFileSync(join(folder, "SHA256SUMS"), checksums(folder));
  expect(await publish()).toMatchObject({
    ok: false,
    text: expect.stringContaining("plugin.tar.gz with other contents"),
  });
});
