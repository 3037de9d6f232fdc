/** docs/hiveql.md and docs/hiveql/functions.md, from the constructs, the differences and the table of functions. */
import { loadHiveql } from "../../load-hiveql.mts";
import { type Construct, constructs, semantics } from "./constructs.mts";
import { differences } from "./differences.mts";

type Functions = typeof import("../../../hiveql/functions/index.ts");
type Refused = typeof import("../../../hiveql/functions/refused.ts");

/** The text of docs/hiveql.md. */
export function hiveqlPage(): string {
  const parts = Object.keys(constructs).map((part) => `[${part}](#${anchorOf(part)})`);
  return `<!-- Written by \`npm run generate\` from constructs.mts and differences.mts in tools/generate/hiveql: change those. -->

# HiveQL on the embedded engine

A cluster of type \`duckdb\` answers HiveQL as its language manual defines it, and as Apache Hive 4 answers when its
optimizer changes nothing. **No condition, key or row that a statement has is ever dropped.** Where the optimizer or a bug
of Hive 4.0.1 answers otherwise, [a table](#where-hive-401-answers-otherwise) has an example. A statement that is not
supported, or whose meaning the manual leaves open, is refused with the error InvalidDMLStatement, which has the line, the
column and the name of the construct. The engine never guesses a result.

- [Supported constructs](#supported-constructs): ${parts.join(", ")}
- [Functions](hiveql/functions.md), on a page of their own
- [Differences from other engines](#differences-from-other-engines)
- [Where Hive 4.0.1 answers otherwise](#where-hive-401-answers-otherwise)
- [The commonest refusals](refusals.md), with examples of what to write instead

## Supported constructs

${Object.entries(constructs)
  .map(([part, rows]) => `### ${part}\n\n${constructTable(rows)}`)
  .join("\n\n")}

## Differences from other engines

${semantics.map((line) => `- ${line}`).join("\n")}

## Where Hive 4.0.1 answers otherwise

The optimizer of Hive 4.0.1, or a bug of it, changes these answers. \`SET hive.cbo.enable=false;\` makes Hive give most of
those here.

${differenceTable()}
`;
}

/** The text of docs/hiveql/functions.md. */
export async function functionsPage(): Promise<string> {
  const { families } = await loadHiveql<Functions>("functions/index.ts");
  const { refusedFunctions } = await loadHiveql<Refused>("functions/refused.ts");
  const count = Object.values(families)
    .flat()
    .flatMap((entry) => entry.names).length;
  return `<!-- Written by \`npm run generate\` from hiveql/functions: change that. -->

# Functions of HiveQL on the embedded engine

${count} names. Arguments are converted as Hive converts them; a NULL argument gives NULL unless the note says otherwise. Where Hive refuses a literal NULL, as in \`length(NULL)\` or \`datediff(NULL, day)\`, so does the engine, and also where the argument decides how the function works, such as the pattern of \`split\` or the length of \`lpad\`; \`str_to_map\` of a NULL in a column is an empty map, and \`regexp_extract\` fails for a NULL group.
[HiveQL on the embedded engine](../hiveql.md) describes the rest of the language.

${[...Object.keys(families), refusedTitle].map((title) => `- [${title}](#${anchorOf(title)})`).join("\n")}

${Object.entries(families)
  .map(([family, entries]) => `## ${family}\n\n${functionTable(entries)}`)
  .join("\n\n")}

## ${refusedTitle}

${refusedTable(refusedFunctions)}

Sketches (\`ds_…\`), bloom filters and geometry (\`st_…\`) are not known either.
`;
}

const refusedTitle = "Functions that are refused";

/** Returns the anchor of a heading. */
const anchorOf = (title: string) =>
  title
    .toLowerCase()
    .replaceAll(/[^a-z0-9 -]/g, "")
    .replaceAll(" ", "-");

function constructTable(rows: readonly Construct[]): string {
  const lines = rows.map(({ name, support, note }) => `| ${cell(name)} | ${support} | ${cell(note)} |`);
  return ["| Construct | Supported | Note |", "| --- | --- | --- |", ...lines].join("\n");
}

function differenceTable(): string {
  const lines = differences.map(
    ({ title, example, here, hive }) => `| ${[title, example, here, hive].map(cell).join(" | ")} |`,
  );
  return ["| | Example | Here | Hive 4.0.1 answers |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function functionTable(entries: Functions["families"][string]): string {
  const lines = entries
    .map(({ names, signature, doc }) => ({ others: names.slice(1), signature, doc }))
    .map(({ others, signature, doc }) => {
      const also = others.length > 0 ? `also ${others.map((name) => `\`${name}\``).join(", ")}` : "";
      return `| \`${cell(signature)}\` | ${cell([doc, also].filter((part) => part !== "").join("; "))} |`;
    });
  return ["| Function | Note |", "| --- | --- |", ...lines].join("\n");
}

function refusedTable(of: Refused["refusedFunctions"]): string {
  const lines = of.map(({ names, reason }) => `| ${names.map((name) => `\`${name}\``).join(", ")} | ${cell(reason)} |`);
  return ["| Function | Why, and what to do instead |", "| --- | --- |", ...lines].join("\n");
}

function cell(value: string): string {
  return value.replaceAll("|", String.raw`\|`);
}
