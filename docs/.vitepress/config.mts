/** The site of docs/: `npm run docs` builds it into docs/.vitepress/dist, which any web server can serve. */
import { readFileSync } from "node:fs";
import { basename, dirname, join, normalize, relative } from "node:path";
import { defineConfig, type MarkdownRenderer } from "vitepress";
import { anchorOf } from "../../tools/site/anchors.mjs";
import { downloads, elsewhere, groups } from "../../tools/site/pages.mjs";

const root = join(import.meta.dirname, "../..");
const { version } = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as { readonly version: string };
const logo = `data:image/svg+xml;base64,${readFileSync(join(root, "docs/logo.svg"), "base64")}`;
const repository = "https://github.com/pulumi-dag/pulumi-dag";

export default defineConfig({
  title: "pulumi-dag",
  description: "HiveQL queries, tables and clusters as Pulumi resources, and the service that runs them.",
  lang: "en",
  base: process.env["DOCS_BASE"] ?? "/",
  srcExclude: elsewhere,
  ignoreDeadLinks: "localhostLinks",
  head: [["link", { rel: "icon", href: logo }]],
  // A layout that a page has for another site is none here.
  transformPageData: ({ frontmatter }) => void (frontmatter["layout"] = "doc"),
  markdown: {
    anchor: { slugify: anchorOf },
    // Both have enough contrast for small text.
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    languageAlias: { caddyfile: "txt", promql: "txt" },
    config: (markdown) => {
      addTitle(markdown);
      linkToRepository(markdown);
      removeEmptyHeaders(markdown);
      drawDiagrams(markdown);
    },
  },
  themeConfig: {
    siteTitle: `pulumi-dag ${version}`,
    logo: { src: logo, alt: "" },
    search: { provider: "local" },
    outline: { level: [2, 3] },
    nav: [{ text: "Changes", link: `${repository}/blob/main/CHANGELOG.md` }],
    sidebar: groups.map(({ title, pages }) => ({
      text: title,
      items: pages.map((page) => ({ text: page.title, link: `/${page.file.replace(/(?:index)?\.md$/, "")}` })),
    })),
    socialLinks: [{ icon: "github", link: repository }],
    editLink: { pattern: `${repository}/edit/main/docs/:path`, text: "Edit this page" },
  },
});

/** Gives a page whose title is only in its front matter a heading. */
function addTitle(markdown: MarkdownRenderer): void {
  markdown.core.ruler.before("normalize", "title", (state) => {
    const { title } = (state.env as { frontmatter?: { title?: string } }).frontmatter ?? {};
    if (title !== undefined && !state.src.trimStart().startsWith("# ")) state.src = `# ${title}\n\n${state.src}`;
  });
}

/** Makes ordinary cells of the empty cells of a table's header: a screen reader would read them out. */
function removeEmptyHeaders(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("empty-headers", ({ tokens }) => {
    for (const [index, token] of tokens.entries()) {
      if (token.type !== "th_open" || tokens[index + 1]?.content !== "") continue;
      token.tag = "td";
      tokens[index + 2]!.tag = "td";
    }
  });
}

/** Lets links to files beside the pages download them, and links to all else lead to the repository. */
function linkToRepository(markdown: MarkdownRenderer): void {
  markdown.core.ruler.push("repository-links", ({ tokens, env }) => {
    const folder = dirname(join("docs", (env as { relativePath?: string }).relativePath ?? ""));
    for (const { children } of tokens) {
      for (const token of children ?? []) {
        const href = token.type === "link_open" ? token.attrGet("href") : null;
        if (href === null || /^(?:[a-z]+:|#|\/)/.test(href)) continue;
        const [path = "", anchor] = href.split("#");
        const target = normalize(join(folder, path));
        const isPage = target.startsWith("docs/") && target.endsWith(".md") && !elsewhere.includes(basename(target));
        if (isPage) continue;
        if (downloads.includes(relative("docs", target))) token.attrSet("download", basename(target));
        else token.attrSet("href", `${repository}/blob/main/${target}${anchor ? `#${anchor}` : ""}`);
      }
    }
  });
}

/** Makes a diagram of each block of Mermaid, as the repository's pages do. */
function drawDiagrams(markdown: MarkdownRenderer): void {
  const fence = markdown.renderer.rules.fence!;
  markdown.renderer.rules.fence = (tokens, index, ...rest) => {
    const { info, content } = tokens[index]!;
    if (info.trim() !== "mermaid") return fence(tokens, index, ...rest);
    return `<MermaidDiagram source="${encodeURIComponent(content)}" />`;
  };
}
