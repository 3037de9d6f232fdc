/** What Pulumi's registry asks of a package: two pages that it copies, a logo, and the schema's entries about the package. */
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";

const root = join(__dirname, "../../..");
const read = (path: string) => readFileSync(join(root, path), "utf8");
const pages = ["docs/_index.md", "docs/installation-configuration.md"];
const files = "https://github.com/pulumi-dag/pulumi-dag/blob/main/";
const schema = JSON.parse(read("schema.json"));

test.each(pages)("%s: has the title, description and layout that the registry reads", (page) => {
  const [, header = ""] = /^---\n([^]*?)\n---\n/.exec(read(page))!;
  expect(parse(header)).toEqual({ title: expect.any(String), meta_desc: expect.any(String), layout: "package" });
});

test.each(pages)("%s: every link resolves on the registry's site", (page) => {
  const text = read(page);
  const targets = [...text.matchAll(/\]\(([^\s)]+)\)/g)].map(([, target = ""]) => target);
  expect(targets.filter((target) => !resolves(target, text))).toEqual([]);
});

test("schema.json: says what the registry shows, and where the plugin is", () => {
  const repository = "https://github.com/pulumi-dag/pulumi-dag";
  const { displayName, description, publisher, license, keywords, logoUrl, pluginDownloadURL, homepage } = schema;
  expect({ displayName, publisher, license, homepage }).toEqual({
    displayName: "DAG",
    publisher: "pulumi-dag",
    license: "Apache-2.0",
    homepage: repository,
  });
  expect([schema.repository, description !== "", pluginDownloadURL]).toEqual([
    repository,
    true,
    "github://api.github.com/pulumi-dag/pulumi-dag",
  ]);
  expect(keywords).toEqual(expect.arrayContaining([expect.stringMatching(/^category\//), "kind/native"]));
  expect(existsSync(join(root, logoUrl.replace(`${repository}/raw/main/`, "")))).toBe(true);
});

describe("docs/_index.md: the program of each language", () => {
  const text = read("docs/_index.md");
  const [, chosen = ""] = /\{\{< chooser language "([\w,]+)" >\}\}/.exec(text)!;
  const languages = chosen.split(",");
  const program = (language: string) =>
    new RegExp(`choosable language ${language} %}}\\n+\`\`\`\\w+\\n([^]*?)\\n\`\`\``).exec(text)![1]!;
  const query = schema.resources["dag:index:SelectQuery"];
  let folder: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "dag-page-"));
  });
  afterEach(() => rmSync(folder, { recursive: true, force: true, maxRetries: 3 }));

  test("is there for every language that can be chosen", () => {
    expect(languages).toEqual(["typescript", "python", "go", "java", "yaml"]);
    for (const language of languages) expect(program(language)).toContain("dag://results/strikes-by-state/");
  });

  test("typescript: compiles", () => {
    writeFileSync(join(folder, "index.ts"), program("typescript"));
    const compilerOptions = {
      noEmit: true,
      strict: true,
      skipLibCheck: true,
      target: "es2022",
      module: "nodenext",
      types: ["node"],
      typeRoots: [join(root, "node_modules/@types")],
      paths: {
        "pulumi-dag": [join(root, "dist/provider/index.d.ts")],
      },
    };
    writeFileSync(join(folder, "tsconfig.json"), JSON.stringify({ compilerOptions, files: ["index.ts"] }));
    execFileSync(process.execPath, [join(root, "node_modules/typescript/bin/tsc"), "-p", folder], { encoding: "utf8" });
  });

  test("yaml: has a resource and inputs of the schema", () => {
    const { resources } = parse(program("yaml")) as {
      readonly resources: Readonly<Record<string, { readonly type: string; readonly properties: object }>>;
    };
    const [{ type, properties } = { type: "", properties: {} }] = Object.values(resources);
    expect(type).toBe("dag:SelectQuery");
    expect(Object.keys(query.inputProperties)).toEqual(expect.arrayContaining(Object.keys(properties)));
    expect(Object.keys(properties)).toEqual(expect.arrayContaining(query.requiredInputs));
  });

  test("python: is Python, with inputs of the schema", () => {
    writeFileSync(join(folder, "page.py"), program("python"));
    execFileSync("python3", ["-m", "py_compile", join(folder, "page.py")]);
    const inputs = [...program("python").matchAll(/^ {4}(\w+)=/gm)].map(([, name = ""]) => name);
    const known = Object.keys(query.inputProperties).map((name) =>
      name.replace(/[A-Z]/g, (c) => `_${c.toLowerCase()}`),
    );
    expect(known).toEqual(expect.arrayContaining(inputs));
  });

  test("java: is in the package of the SDK, with inputs of the schema", () => {
    const { basePackage } = schema.language.java;
    expect(program("java")).toContain(`import ${basePackage}.dag.SelectQuery;`);
    const [, builder = ""] = /\.builder\(\)([^]*?)\.build\(\)/.exec(program("java"))!;
    const inputs = [...builder.matchAll(/^\s+\.(\w+)\(/gm)].map(([, name = ""]) => name);
    expect(inputs).toEqual(expect.arrayContaining(query.requiredInputs));
    expect(Object.keys(query.inputProperties)).toEqual(expect.arrayContaining(inputs));
  });
});

/** Links to a file of the repository, a heading of the page, another page of the package, or another site. */
function resolves(target: string, text: string): boolean {
  if (target.startsWith(files)) return existsSync(join(root, target.slice(files.length)));
  if (target.startsWith("#")) return headings(text).includes(target.slice(1));
  return /^(?:https:\/\/|\/registry\/packages\/dag\/(?:installation-configuration\/)?$)/.test(target);
}

function headings(text: string): string[] {
  return [...text.matchAll(/^#+ (.*)$/gm)].map(([, title = ""]) => title.toLowerCase().replaceAll(/[^\w]+/g, "-"));
}
