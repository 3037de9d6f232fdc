/** docs/performance.md with its plots and docs/performance/inside.md, from bench/results.json and performance-notes.mts. */
import { readResults, type Machine, type StoredResult } from "../../test/bench/support/runner.mts";
import { barText, reaches, spreadText, type Measurement } from "../../test/bench/support/results.mts";
import { introductions, notTried, order, orderInside, titles } from "./performance-notes.mts";
import { plot } from "./plot.mts";

const generated =
  "<!-- Written by `npm run generate` from bench/results.json and tools/generate/performance-notes.mts: run `npm run bench`, or change the notes. -->";

/** The text of docs/performance.md. */
export function performancePage(): string {
  return `${generated}

# Performance

How long a caller waits for selects, splits, requests and deployments, each beside a named peer. A row with the ratio 1.34 took 1.34 times as long as its reference.

- **Ratios** are ours divided by the reference's, round by round. Each benchmark runs its contestants in turns, so that the ratios are valid on any machine; the values are those of one.
- **Values** are the median, with the least and the greatest of the rounds.
- **Run it yourself** with \`npm run bench\`. It starts the service as \`npm run service\` does, with its defaults, asks it over HTTP from another process, and stores what it measured in \`bench/results.json\`; a run of one benchmark stores it with \`--save\`. \`select\` has eight slots, and \`provider\` a service whose queries take no time. With \`--against FILE\` it fails when a ratio is worse by a fifth than in the results of an earlier run. \`npm run check\` says which figures are of code that has changed since.

[Inside](performance/inside.md) are figures of parts of the service, for diagnosis.

${sections(order)}

${notTried}
`;
}

/** The text of docs/performance/inside.md. */
export function insidePage(): string {
  return `${generated}

# Inside

What parts of the service take without the rest, and what the machine can do: a diagnosis of the figures of [Performance](../performance.md), and nothing that a caller sees.

${sections(orderInside)}
`;
}

function sections(names: readonly string[]): string {
  const results = readResults();
  return names.flatMap((name) => (results[name] ? [section(name, results[name])] : [])).join("\n\n");
}

/** Returns the plots, by their path relative to the repository's root. */
export function performancePlots(): Readonly<Record<string, string>> {
  const growths = Object.values(readResults()).flatMap((result) => result.growths);
  return Object.fromEntries(growths.map((growth) => [`docs/performance/${growth.name}.svg`, plot(growth)]));
}

function section(name: string, result: StoredResult): string {
  const growths = result.growths.map(
    (growth) =>
      `![${growth.title}, by ${growth.quantity}](performance/${growth.name}.svg)\n\n${growth.title}: measured on ${growth.date}, ${machineText(growth.machine)}. Both axes are logarithmic.`,
  );
  return [
    `## ${titles[name] ?? name}`,
    introductions[name] ?? `\`npm run bench -- ${name}\``,
    table(result.measurements),
    `Measured on ${result.date}${result.commit ? ` at commit ${result.commit}` : ""} in ${result.seconds} s, ${machineText(result.machine)}.`,
    ...growths,
  ].join("\n\n");
}

function table(measurements: readonly Measurement[]): string {
  return [
    "| | ours | reference | ratio | goal |",
    "| --- | --- | --- | --- | --- |",
    ...measurements.flatMap(rows),
  ].join("\n");
}

function rows(measurement: Measurement): string[] {
  const { title, unit, ours, references, bars } = measurement;
  const goal = bars.map((bar) => `${barText(bar, unit)}: ${reaches(measurement, bar) ? "yes" : "**no**"}`).join("; ");
  const first = `| ${title} | ${spreadText(ours.value)} ${unit} |`;
  if (references.length === 0) return [`${first} | | | ${goal} |`];
  return references.map(({ name, value, ratio }, index) => {
    const start = index === 0 ? first : "| | |";
    return `${start} ${name}: ${spreadText(value)} ${unit} | ${spreadText(ratio)} | ${index === 0 ? goal : ""} |`;
  });
}

function machineText({ processor, cores, gigabytes, system, node }: Machine): string {
  return `${cores} cores of ${processor}, ${gigabytes} GB of memory, ${system}, Node.js ${node}`;
}
