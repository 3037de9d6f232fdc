/** A user of the Java SDK, with Maven and Pulumi's Java host. */
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { withPath } from "../../setup/layout.mjs";
import { sdks } from "../packages.mjs";
import { must } from "../step.mjs";
import { deployTwice } from "./deploy.mjs";
import { ensureLanguageHost } from "./language-host.mjs";
import { pageProgram } from "./page-programs.mjs";

/**
 * Deploys a table and a query of it, then the program that Pulumi's registry shows.
 *
 * @param {object} given
 * @param {import("./user.mjs").User} given.user
 * @param {NodeJS.ProcessEnv} given.env with the service
 * @param {string} given.version
 * @param {string} given.folder of the rehearsal
 * @param {string} given.repository a folder that is a Maven repository
 */
export async function java({ user, env, version, folder, repository }) {
  const host = await ensureLanguageHost("java", env, folder);
  // Java takes the home folder from the system's list of users, not from HOME.
  const javaEnv = withPath([host], { ...env, MAVEN_OPTS: `-Duser.home=${user.home}` });
  for (const { name, text, expected } of [
    { name: "java", text: program, expected: undefined },
    { name: "java-page", text: pageProgram("java"), expected: { rows: '[["NY","1"]]', unchanged: 2 } },
  ]) {
    const project = user.project(name, {
      "Pulumi.yaml": `name: ${name}\nruntime: java\n`,
      "pom.xml": pom(version, pathToFileURL(repository).href),
    });
    mkdirSync(join(project, "src/main/java/app"), { recursive: true });
    writeFileSync(join(project, "src/main/java/app/App.java"), text);
    await must("mvn", ["--batch-mode", "--quiet", "--no-transfer-progress", "compile"], { cwd: project, env: javaEnv });
    await deployTwice(project, javaEnv, expected);
  }
}

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
 * @param {string} version
 * @param {string} repository its URL
 */
function pom(version, repository) {
  const { group, artifact } = sdks.java;
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
  <repositories>
    <repository><id>rehearsal</id><url>${repository}</url></repository>
  </repositories>
  <dependencies>
    <dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>
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
