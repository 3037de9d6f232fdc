import { describe, expect, test } from "vitest";
import { documentProblems, installProblems, missingFiles } from "../../../../tools/check/documents.mjs";

const way = "[from the clone](installation-configuration.md#from-the-clone)";

describe("commands that install", () => {
  test.each([
    "npx dag-service --help",
    "npx --yes dag-service --config x",
    "Run `npx -y dag-service` here",
    "npm install pulumi-dag",
    "npm i -g pulumi-dag@0.1.0",
    "npm install --save-dev typescript dag-service",
    "npm install @pulumi-dag/dag",
    "npm exec dag-service",
    "pip install pulumi_dag",
    "pulumi plugin install resource dag 0.1.0",
  ])("%s: is refused while the package is not published", (command) => {
    expect(installProblems("docs/x.md", `${way}\n${command}\n`)).toEqual([
      expect.stringContaining("the package is not published"),
    ]);
  });

  test.each([
    "npx --no-install dag-service open",
    "npm install <clone>/pulumi-dag-<version>.tgz",
    "npm install --global /opt/dag-service-*.tgz",
    "pulumi plugin install resource dag 0.1.0 --file FOLDER/pulumi-resource-dag-v0.1.0-linux-amd64.tar.gz",
    "npm install typescript",
    "npx changeset",
    "npm run service -- sql x",
  ])("%s: is taken", (command) => {
    expect(installProblems("docs/x.md", `${way}\n${command}\n`)).toEqual([]);
  });

  test("a document that needs an installed package links to the way from the clone", () => {
    expect(installProblems("docs/x.md", "npx --no-install dag-service")).toEqual([
      "docs/x.md needs an installed package, and does not link to installation-configuration.md#from-the-clone",
    ]);
  });

  test.each(["npx dag-service open", "npm install pulumi-dag", "npx changeset", "npx --no-install dag-service"])(
    "%s: is taken when every package is published",
    (command) => expect(installProblems("docs/x.md", command, [])).toEqual([]),
  );

  test("a folder that a document of the sources names must exist, wherever it is", () => {
    const files = ["hiveql/runtime/udf/case.ts"];
    expect(
      missingFiles("hiveql/README.md", "`runtime/` has `udf/` and `xml/`, built to `hiveql/dist/`", files),
    ).toEqual(["hiveql/README.md names xml/, which does not exist"]);
    expect(missingFiles("docs/x.md", "a partition `xml/` of a table", files)).toEqual([]);
  });

  test("the documents of the repository have no problem", async () => {
    expect(await documentProblems()).toEqual([]);
  });
});
