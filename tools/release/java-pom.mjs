/** The pom of the Java SDK: how Maven builds it, and what Maven Central asks of it. */
import { readJson } from "../setup/layout.mjs";
import { sdks } from "./packages.mjs";

/** The oldest Java of Pulumi's SDK. */
const javaVersion = 11;
const dependencies = [
  ["com.pulumi", "pulumi", "1.36.1"],
  ["com.google.code.gson", "gson", "2.8.9"],
  ["com.google.code.findbugs", "jsr305", "3.0.2"],
];
const plugins = [
  ["maven-resources-plugin", "3.3.1", ""],
  ["maven-compiler-plugin", "3.13.0", "<proc>none</proc>"],
  ["maven-jar-plugin", "3.4.2", ""],
  ["maven-source-plugin", "3.3.1", ""],
  // Generated texts are Markdown, which is not always well-formed HTML.
  ["maven-javadoc-plugin", "3.11.2", "<doclint>none</doclint><quiet>true</quiet>"],
];

/** The goals that make all files of the release, without Maven's life cycle, which would look for tests. */
export const mavenGoals = [
  "resources:resources",
  "compiler:compile",
  "jar:jar",
  "source:jar-no-fork",
  "javadoc:jar",
  "org.cyclonedx:cyclonedx-maven-plugin:2.9.1:makeBom",
];

/**
 * @param {string} version
 * @returns {string}
 */
export function sdkPom(version) {
  const { homepage, license, description } = readJson("package.json");
  const { group, artifact } = sdks.java;
  return `<?xml version="1.0" encoding="UTF-8"?>
<project xmlns="http://maven.apache.org/POM/4.0.0">
  <modelVersion>4.0.0</modelVersion>
  <groupId>${group}</groupId>
  <artifactId>${artifact}</artifactId>
  <version>${version}</version>
  <name>${group}:${artifact}</name>
  <description>${description}</description>
  <url>${homepage}</url>
  <licenses>
    <license><name>${license}</name><url>https://www.apache.org/licenses/LICENSE-2.0.txt</url></license>
  </licenses>
  <developers>
    <developer><name>pulumi-dag</name><url>${homepage}</url></developer>
  </developers>
  <scm>
    <connection>scm:git:${homepage}.git</connection>
    <url>${homepage}</url>
  </scm>
  <properties>
    <maven.compiler.release>${javaVersion}</maven.compiler.release>
    <project.build.sourceEncoding>UTF-8</project.build.sourceEncoding>
    <project.build.outputTimestamp>1980-01-01T00:00:02Z</project.build.outputTimestamp>
  </properties>
  <dependencies>${dependencies
    .map(
      ([groupId, artifactId, own]) => `
    <dependency><groupId>${groupId}</groupId><artifactId>${artifactId}</artifactId><version>${own}</version></dependency>`,
    )
    .join("")}
  </dependencies>
  <build>
    <plugins>${plugins
      .map(
        ([artifactId, own, configuration]) => `
      <plugin><artifactId>${artifactId}</artifactId><version>${own}</version><configuration>${configuration}</configuration></plugin>`,
      )
      .join("")}
    </plugins>
  </build>
</project>
`;
}
