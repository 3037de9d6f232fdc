/**
 * `pack-java.mjs FOLDER` generates the SDK for Java, compiles it and lays it out as a Maven repository: jar, sources,
 * documentation and pom, with the checksums that Maven Central asks for. Needs Go, a JDK and Maven.
 */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readJson, root } from "../setup/layout.mjs";
import { buildGoProgram } from "./go-program.mjs";
import { mavenGoals, sdkPom } from "./java-pom.mjs";
import { mavenFolder, plugin, releaseVersion, sbomName, sdks } from "./packages.mjs";
import { digest, must, runStep } from "./step.mjs";

await runStep(async (folder) => {
  const version = releaseVersion();
  const { artifact } = sdks.java;
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-pack-java-"));
  try {
    const generator = await buildGoProgram("pulumi-java-gen", work);
    const options = { schema: join(root, "schema.json"), out: "java", build: "none", version };
    const words = Object.entries(options).map(([name, value]) => `--${name}=${value}`);
    await must(generator, ["generate", ...words], { cwd: work });
    const sdk = join(work, "java");
    writePluginJson(sdk, version);
    mkdirSync(join(sdk, "src/main/resources/META-INF"), { recursive: true });
    copyFileSync(join(root, "LICENSE"), join(sdk, "src/main/resources/META-INF/LICENSE"));
    writeFileSync(join(sdk, "pom.xml"), sdkPom(version));
    await must("mvn", ["--batch-mode", "--quiet", "--no-transfer-progress", ...mavenGoals], { cwd: sdk });
    const target = join(folder, mavenFolder(version));
    mkdirSync(target, { recursive: true });
    copyFileSync(join(sdk, "pom.xml"), join(target, `${artifact}-${version}.pom`));
    for (const kind of ["", "-sources", "-javadoc"]) {
      const jar = `${artifact}-${version}${kind}.jar`;
      copyFileSync(join(sdk, "target", jar), join(target, jar));
    }
    for (const name of readdirSync(target))
      for (const algorithm of /** @type {const} */ (["md5", "sha1"]))
        writeFileSync(join(target, `${name}.${algorithm}`), digest(join(target, name), algorithm));
    mkdirSync(join(folder, "sbom"), { recursive: true });
    copyFileSync(join(sdk, "target/bom.json"), join(folder, "sbom", sbomName(`sdk-java-v${version}`)));
    console.log(`${sdks.java.group}:${artifact}`);
  } finally {
    rmSync(work, { recursive: true, force: true, maxRetries: 3 });
  }
});

/**
 * The file in which Pulumi's Java host finds the plugin of a package; the generator writes only the version beside it.
 *
 * @param {string} sdk
 * @param {string} version
 */
function writePluginJson(sdk, version) {
  const { pluginDownloadURL: server, language } = readJson("schema.json");
  const folder = join(sdk, "src/main/resources", ...language.java.basePackage.split("."), plugin);
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "plugin.json"), JSON.stringify({ resource: true, name: plugin, version, server }));
}
