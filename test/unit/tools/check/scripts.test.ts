import { describe, expect, test } from "vitest";
import { problemsOf } from "../../../../tools/check/manifests.mjs";
import { repositoryManifests, repositoryScriptProblems, scriptProblems } from "../../../../tools/check/scripts.mjs";

const programs = new Set(["node", "npm", "vitest"]);

describe("scripts of package.json", () => {
  test.each(["node scripts/setup.mjs --packages-only -- node scripts/check.mjs", "vitest run", "npm run build"])(
    "%s: runs in every shell",
    (script) => expect(scriptProblems({ it: script }, programs)).toEqual([]),
  );

  test.each([
    ["exec node scripts/test.mjs", "exec"],
    ["rm -rf dist", "rm"],
    ["NODE_ENV=test node x.mjs", "NODE_ENV=test"],
    ["node a.mjs && node b.mjs", "&&"],
    ["node a.mjs; node b.mjs", "a.mjs;"],
    ["node x.mjs > out.txt", ">"],
    ["node $HOME/x.mjs", "$HOME/x.mjs"],
    ["node test/*.mjs", "test/*.mjs"],
    ["node 'a b.mjs'", "'a"],
  ])("%s: is refused for its %s", (script, named) => {
    expect(scriptProblems({ it: script }, programs)).toEqual([expect.stringContaining(`"${named}"`)]);
  });

  test("those of the repository: all manifests are read, none has a problem", () => {
    const manifests = repositoryManifests();
    expect(manifests).toEqual(
      expect.arrayContaining(["package.json", "service/package.json", "examples/layers/package.json"]),
    );
    expect(repositoryScriptProblems(manifests)).toEqual([]);
  });
});

describe("package.json of a published package", () => {
  const main = {
    version: "1.0.0",
    license: "Apache-2.0",
    homepage: "https://example.org",
    bugs: "https://example.org/issues",
    repository: { type: "git", url: "git+https://example.org/x.git" },
    engines: { node: ">=22.19" },
  };
  const manifest = {
    ...main,
    name: "x",
    repository: { ...main.repository, directory: "x" },
    files: ["dist"],
    publishConfig: { access: "public" },
  };

  test("complete: has no problem", () => {
    expect(problemsOf(manifest, { name: "x", folder: "x", main })).toEqual([]);
  });

  test.each([
    ["repository", { repository: main.repository }],
    ["license", { license: "MIT" }],
    ["engines", { engines: {} }],
    ["files", { files: undefined }],
    ["private", { private: true }],
    ["version", { version: "0.9.0" }],
    ["publishConfig", { publishConfig: undefined }],
    ["the name is y", { name: "y" }],
  ])("%s: is required", (named, change) => {
    expect(problemsOf({ ...manifest, ...change }, { name: "x", folder: "x", main })).toEqual([
      expect.stringContaining(named),
    ]);
  });
});
