/** A user of the Java SDK, with Maven and Pulumi's Java host. */
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withPath } from "../../setup/layout.mjs";
import { plugin, sdks } from "../packages.mjs";
import { must } from "../step.mjs";
import { deployTwice } from "./deploy.mjs";
import { ensureLanguageHost } from "./language-host.mjs";
import { pageProgram } from "./page-programs.mjs";

/** The packages that an SDK needs which is a part of the program; a published one brings them. */
const sdkDependencies = [
  { group: "com.pulumi", artifact: "pulumi", version: "1.36.1" },
  { group: "com.google.code.gson", artifact: "gson", version: "2.8.9" },
  { group: "com.google.code.findbugs", artifact: "jsr305", version: "3.0.2" },
];

/** @typedef {{ user: import("./user.mjs").User, env: NodeJS.ProcessEnv, version: string, folder: string }} Given */

/**
 * Deploys a table and a query of it, then the program that Pulumi's registry shows.
 *
 * @param {Given} given
 * @param {string} repository a folder that is a Maven repository
 */
export async function publishedJava(given, repository) {
  const pomText = pom([{ ...sdks.java, version: given.version }], pathToFileURL(repository).href);
  for (const { name, text, expected } of [
    { name: "java", text: program, expected: undefined },
    { name: "java-page", text: pageProgram("java"), expected: { rows: '[["NY","1"]]', unchanged: 2 } },
  ]) {
    const { project, env } = await makeProject(given, name, text, pomText);
    await compile(project, env);
    await deployTwice(project, env, expected);
  }
}

/**
 * Generates an SDK in a project from the installed plugin, and compiles the project with it.
 *
 * @param {Given} given
 */
export async function generatedJava(given) {
  const { project, env } = await makeProject(given, "java-generated", empty, pom(sdkDependencies));
  const plugins = join(given.user.home, ".pulumi/plugins", `resource-${plugin}-v${given.version}`);
  await must("pulumi", ["package", "add", join(plugins, `pulumi-resource-${plugin}`)], { cwd: project, env });
  writeFileSync(join(project, source), program);
  cpSync(join(project, "sdks", plugin, "src"), join(project, "src"), { recursive: true });
  await compile(project, env);
}

/**
 * @param {Given} given
 * @param {string} name
 * @param {string} text of the program
 * @param {string} pomText
 */
async function makeProject({ user, env, folder }, name, text, pomText) {
  const project = user.project(name, { "Pulumi.yaml": `name: ${name}\nruntime: java\n`, "pom.xml": pomText });
  mkdirSync(join(project, "src/main/java/app"), { recursive: true });
  writeFileSync(join(project, source), text);
  // Java takes the home folder from the system's list of users, not from HOME.
  const host = await ensureLanguageHost("java", env, folder);
  return { project, env: withPath([host], { ...env, MAVEN_OPTS: `-Duser.home=${user.home}` }) };
}

/**
 * @param {string} project
 * @param {NodeJS.ProcessEnv} env
 */
async function compile(project, env) {
  await must("mvn", ["--batch-mode", "--quiet", "--no-transfer-progress", "compile"], { cwd: project, env });
}

const source = "src/main/java/app/App.java";
/** Pulumi compiles a project to which it adds a package. */
const empty = "package app;\n\npublic class App {}\n";
const program = `package app;

import com.pulumi.Context;
import com.pulumi.Pulumi;
import io.github.pulumidag.dag.SelectQuery;
import io.github.pulumidag.dag.SelectQueryArgs;
import io.github.pulumidag.dag.SplitTable;
import io.github.pulumidag.dag.SplitTableArgs;

public class App {
    public static void main(String[] args) {
        Pulumi.run(App::stack);
    }

    static void stack(Context ctx) {
        var birds = new SplitTable("birds", SplitTableArgs.builder()
            .clusterName("demo")
            .inputObjectKeys("dag://data/raw/birds.csv")
            .outputDatabase("tables")
            .schema("string bird, int eggs")
            .build());
        var eggs = new SelectQuery("eggs", SelectQueryArgs.builder()
            .clusterName("demo")
            .query(birds.qualifiedName().applyValue(table -> "SELECT sum(eggs) AS eggs FROM " + table))
            .outputResourcePath("dag://results/java/")
            .resultRows(10)
            .build());
        ctx.export("rows", eggs.result().applyValue(result -> result.map(found -> found.rows())));
    }
}
`;

/**
 * @param {readonly { group: string, artifact: string, version: string }[]} dependencies
 * @param {string} [repository] URL of one besides Maven's own
 */
function pom(dependencies, repository) {
  const named = dependencies.map(
    ({ group, artifact, version }) =>
      `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`,
  );
  return `<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>app</groupId>
  <artifactId>app</artifactId>
  <version>1</version>
  <properties>
    <maven.compiler.source>11</maven.compiler.source>
    <maven.compiler.target>11</maven.compiler.target>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
  </properties>
  <repositories>${repository === undefined ? "" : `<repository><id>own</id><url>${repository}</url></repository>`}</repositories>
  <dependencies>
    ${named.join("\n    ")}
  </dependencies>
  <build>
    <plugins>
      <plugin>
        <groupId>org.codehaus.mojo</groupId>
        <artifactId>exec-maven-plugin</artifactId>
        <version>3.5.0</version>
        <configuration><mainClass>app.App</mainClass></configuration>
      </plugin>
    </plugins>
  </build>
</project>
`;
}
