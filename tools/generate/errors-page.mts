/** docs/errors.md: every error code with its cause and its remedy, as `dag-service explain` prints them. */
import { createRequire } from "node:module";

const require = createRequire(import.meta.url);
const { errorCodes, errorTable, operationNames, operations } =
  require("../../service/dist/contract/index.js") as typeof import("../../contract/index.ts");
const { errorExplanations } =
  require("../../service/dist/contract/error-explanations.js") as typeof import("../../contract/error-explanations.ts");

/** What the site calls the pages that explanations name. */
const titles = new Map([
  ["api", "The API"],
  ["refusals", "Refused statements"],
]);

/** The file's text. */
export function errorsPage(): string {
  return [
    "<!-- Written by `npm run generate` from contract/errors.ts and contract/error-explanations.ts. -->",
    "",
    "# Error codes",
    "",
    "An error of the API has a `code`, which says what kind it is, and a `message`, which names the field, the value and the remedy. Match errors by code, or by [class](client.md), never by message.",
    "",
    "`dag-service explain CODE` prints what this page says of a code; `dag-service explain` lists all of them. A team that serves [a copy of this site](run/team.md#the-site-for-your-team) sets `DAG_DOCS` to its address: then `dag-service`, `pulumi` and the console end the text of an error with a link to its heading here. [Troubleshooting](troubleshooting.md) begins with what you see.",
    "",
    ...errorCodes.flatMap((code) => {
      const { status, meaning } = errorTable[code];
      const { cause, remedy } = errorExplanations[code];
      const names = operationNames.filter((name) => (operations[name].errors as readonly string[]).includes(code));
      const links = names.map((name) => `[${name}](api.md#${name.toLowerCase()})`);
      return [
        `## ${code}`,
        "",
        `${meaning[0]!.toUpperCase()}${meaning.slice(1)}. HTTP status ${status}, from ${links.length === 0 ? "any operation" : links.join(", ")}.`,
        "",
        `- **Cause.** ${escaped(cause)}`,
        `- **Remedy.** ${escaped(remedy)}`,
        "",
      ];
    }),
  ].join("\n");
}

/** A text with what would be HTML or emphasis as it is, and with links to the pages that it names. */
function escaped(text: string): string {
  return text
    .replaceAll("<", "&lt;")
    .replaceAll("_", "\\_")
    .replace(/\bdocs\/(\w+)\.md/g, (_, page: string) => `[${titles.get(page) ?? page}](${page}.md)`);
}
