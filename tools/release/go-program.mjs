/** Builds programs of Pulumi that no package manager has, from their Go modules. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { must } from "./step.mjs";

/** Pulumi's own SDK generator and language hosts; each brings the Pulumi of its own go.mod. */
export const goPrograms = {
  "pulumi-java-gen": { module: "github.com/pulumi/pulumi-java/pkg", version: "1.21.2" },
  "pulumi-language-java": { module: "github.com/pulumi/pulumi-java/pkg", version: "1.21.2" },
  "pulumi-language-yaml": { module: "github.com/pulumi/pulumi-yaml", version: "1.25.0" },
};

/**
 * @param {keyof typeof goPrograms} name
 * @param {string} folder where it is put
 * @returns {Promise<string>} its path
 */
export async function buildGoProgram(name, folder) {
  const { module, version } = goPrograms[name];
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-go-"));
  const file = join(folder, process.platform === "win32" ? `${name}.exe` : name);
  try {
    writeFileSync(join(work, "go.mod"), `module build\nrequire ${module} v${version}\n`);
    await must("go", ["build", "-o", file, `${module}/cmd/${name}`], {
      cwd: work,
      env: { ...process.env, GOFLAGS: "-mod=mod -modcacherw -buildvcs=false", GOWORK: "off", CGO_ENABLED: "0" },
    });
    return file;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}
