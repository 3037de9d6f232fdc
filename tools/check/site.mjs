/** Checks what the site needs of the documents: every page in its menu, anchors that exist, pages that are not long. */
import { existsSync, readFileSync, readdirSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { root } from "../setup/layout.mjs";
import { anchorsOf } from "../site/anchors.mjs";
import { elsewhere, groups, maxWords } from "../site/pages.mjs";
import { blockProblems, staleBlockEntries } from "./blocks.mjs";

/** A Markdown link to an anchor of this or another page. */
const anchorLink = /\]\((?!https?:|\/registry\/)([^\s)#]*)#([^\s)]+)(?: "(?:[^"\\]|\\.)*")?\)/g;
/** A block of code that is part of a file; the comment before it names the file. */
const codeOfFile = /^<!-- code of (\S+) -->\n+```\w+\n([^]*?)^```/gm;

/** Checks every page of docs/, and the code in README.md and ARCHITECTURE.md. @returns {string[]} one line for each problem */
export function siteProblems() {
  const folder = join(root, "docs");
  const files = readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => name.replaceAll("\\", "/"))
    .filter((name) => name.endsWith(".md") && !name.startsWith(".vitepress/"));
  const listed = groups.flatMap(({ pages }) => pages.map(({ file }) => file));
  return [
    ...menuProblems(files, listed),
    ...["README.md", "ARCHITECTURE.md"].flatMap((document) => {
      const text = readFileSync(join(root, document), "utf8");
      return [...codeProblems(document, text), ...blockProblems(document, text)];
    }),
    ...staleBlockEntries(),
    ...files.flatMap((name) => {
      const text = readFileSync(join(folder, name), "utf8");
      const document = `docs/${name}`;
      return [...anchorProblems(document, text), ...codeProblems(document, text), ...blockProblems(document, text)];
    }),
    ...groups
      .filter(({ isReference }) => !isReference)
      .flatMap(({ pages }) => pages)
      .filter(({ file }) => existsSync(join(folder, file)))
      .flatMap(({ file }) => lengthProblems(`docs/${file}`, readFileSync(join(folder, file), "utf8"))),
  ];
}

/**
 * @param {readonly string[]} files of docs/
 * @param {readonly string[]} listed in the menu
 */
export function menuProblems(files, listed) {
  const pages = files.filter((name) => !elsewhere.includes(name));
  return [
    ...pages.filter((name) => !listed.includes(name)).map((name) => `docs/${name} is not in tools/site/pages.mjs`),
    ...listed
      .filter((name) => !files.includes(name))
      .map((name) => `tools/site/pages.mjs lists ${name}, which is not in docs/`),
    ...listed
      .filter((name, index) => listed.indexOf(name) !== index)
      .map((name) => `tools/site/pages.mjs lists ${name} twice`),
  ];
}

/**
 * @param {string} document path from the repository's root
 * @param {string} text
 */
export function anchorProblems(document, text) {
  const prose = text.replace(/^(```|~~~)[^]*?^\1/gm, "");
  return [...prose.matchAll(anchorLink)].flatMap(([, target = "", anchor = ""]) => {
    const file = target === "" ? document : normalize(join(dirname(document), target));
    if (!file.endsWith(".md") || (target !== "" && !existsSync(join(root, file)))) return [];
    const anchors = anchorsOf(target === "" ? text : readFileSync(join(root, file), "utf8"));
    return anchors.has(anchor) ? [] : [`${document} links to ${target}#${anchor}, and ${file} has no such heading`];
  });
}

/**
 * @param {string} document
 * @param {string} text
 */
export function codeProblems(document, text) {
  return [...text.matchAll(codeOfFile)].flatMap(([, file = "", code = ""]) => {
    if (!existsSync(join(root, file))) return [`${document} shows code of ${file}, which does not exist`];
    const source = readFileSync(join(root, file), "utf8");
    return source.includes(code)
      ? []
      : [`${document} shows code of ${file} that is not in it: copy it from there again`];
  });
}

/**
 * @param {string} document
 * @param {string} text
 */
export function lengthProblems(document, text) {
  const prose = text.replace(/^(```|~~~)[^]*?^\1/gm, "").replace(/^\|.*$/gm, "");
  const words = prose.split(/\s+/).filter((word) => /\w/.test(word)).length;
  return words <= maxWords ? [] : [`${document} has ${words} words of prose, and ${maxWords} at most: split it`];
}
