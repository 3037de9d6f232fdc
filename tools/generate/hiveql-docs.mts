/** docs/hiveql.md, from the constructs, the differences, the quirks and the table of functions. */
import { loadHiveql } from "../load-hiveql.mts";

type Constructs = typeof import("../../hiveql/constructs.ts");
type Functions = typeof import("../../hiveql/functions/index.ts");
type Refused = typeof import("../../hiveql/functions/refused.ts");
type Quirks = typeof import("../../hiveql/quirks/index.ts");
type Differences = typeof import("../../hiveql/differences.ts");

/** The file's text. */
export async function hiveqlPage(): Promise<string> {
  const { constructs, semantics } = await loadHiveql<Constructs>("constructs.ts");
  const { families } = await loadHiveql<Functions>("functions/index.ts");
  const { refusedFunctions } = await loadHiveql<Refused>("functions/refused.ts");
  const { quirks } = await loadHiveql<Quirks>("quirks/index.ts");
  const { differences } = await loadHiveql<Differences>("differences.ts");
  const count = Object.values(families)
    .flat()
    .flatMap((entry) => entry.names).length;
  return `<!-- Written by \`npm run generate\` from hiveql/constructs.ts, hiveql/differences.ts, hiveql/quirks and hiveql/functions: change those. -->

# HiveQL on the embedded engine

A cluster of type \`duckdb\` answers HiveQL as its language manual defines it, and as Apache Hive 4 answers when its
optimizer changes nothing. **No condition, key or row that a statement has is ever dropped.** Where the optimizer or a bug
of Hive 4.0.1 answers otherwise, [a table](#where-hive-401-answers-otherwise) has an example. A statement that is not
supported, or whose meaning the manual leaves open, is refused with the error InvalidDMLStatement, which has the line, the
column and the name of the construct. The engine never guesses a result. [The commonest refusals](refusals.md) have
examples of what to write instead.

## Supported constructs

${Object.entries(constructs)
  .map(([part, rows]) => `### ${part}\n\n${constructTable(rows)}`)
  .join("\n\n")}

## Differences from other engines

${semantics.map((line) => `- ${line}`).join("\n")}

## Where Hive 4.0.1 answers otherwise

The optimizer of Hive 4.0.1 changes these answers. \`SET hive.cbo.enable=false;\` makes Hive give most of those here.

${differenceTable(differences)}

## Quirks of Hive

What Hive 4.0.1 does and no other engine, and often only in one of its modes.

${quirkTable(quirks)}

## Functions

${count} names. Arguments are converted as Hive converts them; a NULL argument gives NULL unless the note says otherwise.

${Object.entries(families)
  .map(([family, entries]) => `### ${family}\n\n${functionTable(entries)}`)
  .join("\n\n")}

### Functions that are refused

${refusedTable(refusedFunctions)}

Sketches (\`ds_…\`), bloom filters and geometry (\`st_…\`) are not known either.
`;
}

function constructTable(rows: Constructs["constructs"][string]): string {
  const lines = rows.map(({ name, support, note }) => `| ${cell(name)} | ${support} | ${cell(note)} |`);
  return ["| Construct | Supported | Note |", "| --- | --- | --- |", ...lines].join("\n");
}

function quirkTable(of: Quirks["quirks"]): string {
  const lines = of.map((quirk) => {
    const effect = "refuses" in quirk ? quirk.refuses : quirk.rewrites;
    return `| ${cell(quirk.title)} | ${cell(quirk.why)} | ${cell(quirk.example)} | ${cell(effect)} |`;
  });
  return ["| | Hive | Example | Here |", "| --- | --- | --- | --- |", ...lines].join("\n");
}

function differenceTable(of: Differences["differences"]): string {
  const lines = of.map(({ title, example, here, hive }) => `| ${[title, example, here, hive].map(cell).join(" | ")} |`);
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
