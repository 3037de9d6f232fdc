/** The check and the comparison of a SplitTable's inputs. */
import { isWithin, parseLocation } from "../../../contract";
import { withFreshnessDifferences } from "../freshness/differences";
import { isPattern } from "../freshness/input-objects";
import { generationFor, producersRead } from "../freshness/program-tables";
import type { CheckFailure, CheckOptions, CheckResult, DiffResult } from "../lifecycle";
import { commonProblems } from "../queries/query-checks";
import { storageRemedy, withStatusDifference } from "../queries/query-resource";
import { autonamedTable, namingProblem } from "../schema/autonaming";
import { checkProperties, hasUnknown } from "../schema/check";
import { diffProperties } from "../schema/diff";
import { columnNames, sameColumns, schemaProblem } from "../schema/table-columns";
import { folderOf, qualifiedNameOf } from "./split-table-names";
import { inputs, type SplitTableInputs, type SplitTableState } from "./split-table-properties";

/** Checks the inputs, and adds the name of the table and the hidden inputs. */
export function checkSplitTable(given: object, options: CheckOptions): CheckResult<SplitTableInputs> {
  const { inputs: checked, failures } = checkProperties("SplitTable", inputs, given, options.secret);
  const outputTable = checked.outputTable ?? autonamedTable(options);
  const named = { ...checked, ...(outputTable !== undefined && { outputTable }) };
  const naming = checked.outputTable === undefined ? namingProblem(outputTable) : [];
  const found = [...failures, ...naming];
  return {
    inputs: withFreshness(named, options),
    failures: found.length > 0 ? found : checkRules(named, options),
    warnings: checked.outputTable === undefined ? [] : keptTableWarnings(named, options),
  };
}

/** Compares a table with new inputs. */
export function diffSplitTable(
  old: { readonly inputs: SplitTableInputs; readonly state?: Partial<SplitTableState> | undefined },
  news: SplitTableInputs,
): DiffResult {
  const diff = diffProperties(inputs, old.inputs, news, {
    deleteBeforeReplace: true,
    same: (name, before, after) => name === "schema" && sameColumns(`${before}`, `${after}`),
    // An import has the columns of the service's record. What a program has made has a generation.
    wasGiven: (name) => name === "schema" && old.inputs.generation !== undefined,
  });
  const found = withStatusDifference(diff, old.state?.status);
  return withFreshnessDifferences(found, old, news, (index) => String(news.inputObjectKeys[index]));
}

/** Adds the hidden inputs, and the table to those of the program. */
function withFreshness(news: SplitTableInputs, options: CheckOptions): SplitTableInputs {
  const { programTables } = options;
  const { inputObjectKeys, outputDatabase, outputTable, schema } = news;
  const generation = generationFor(options);
  const tables =
    news.rerunOnInputChange === true && !hasUnknown(inputObjectKeys)
      ? producersRead(inputObjectKeys, options)
      : undefined;
  if (programTables && outputTable !== undefined && !hasUnknown([outputDatabase, outputTable])) {
    const columns = () => (schema === undefined || hasUnknown(schema) ? undefined : columnNames(schema));
    programTables.add(folderOf(news), {
      urn: options.urn,
      generation,
      exists: hasWritten(folderOf(news), options.olds as SplitTableInputs | undefined),
      columns,
      mayBeDeclared: false,
    });
  }
  return { ...news, ...(tables && { tables }), ...(generation !== undefined && { generation }) };
}

/** Returns true when the existing resource has the folder already; one whose folder changes is replaced. */
function hasWritten(folder: string, olds: SplitTableInputs | undefined): boolean {
  return olds !== undefined && folderOf(olds) === folder;
}

function checkRules(news: SplitTableInputs, options: CheckOptions): CheckFailure[] {
  const found = commonProblems(news, options);
  const columns = hasUnknown(news.schema) || news.schema === undefined ? undefined : schemaProblem(news.schema);
  if (columns !== undefined) found.push({ property: "schema", reason: columns });
  if (hasUnknown([news.inputObjectKeys, news.outputDatabase, news.outputTable])) return found;
  const table = { bucket: news.outputDatabase, key: `${news.outputTable}/` };
  news.inputObjectKeys.forEach((key, index) => {
    if (!options.storage && isPattern(key)) {
      const reason = `inputObjectKeys[${index}] "${key}" has a "*", which needs access to the object storage: ${storageRemedy}`;
      found.push({ property: "inputObjectKeys", reason });
    }
    if (!isWithin(parseLocation(key), table)) return;
    const reason = `inputObjectKeys[${index}] "${key}" is inside the folder of the output table: set another outputTable`;
    found.push({ property: "inputObjectKeys", reason });
  });
  return found;
}

/** Warns when a replacement would reuse the name of the table that deletionPolicy "keep" keeps. */
function keptTableWarnings(news: SplitTableInputs, { olds }: CheckOptions): string[] {
  const before = olds as SplitTableInputs | undefined;
  if (news.rerunOnInputChange === true && news.deletionPolicy !== "purge" && !hasUnknown(news)) {
    return [
      `rerunOnInputChange cannot rebuild the table ${qualifiedNameOf(news)} while deletionPolicy "keep" keeps it: ` +
        `set deletionPolicy "purge", or leave out outputTable`,
    ];
  }
  if (!before || before.deletionPolicy === "purge" || hasUnknown(news)) return [];
  const sameTable = before.outputDatabase === news.outputDatabase && before.outputTable === news.outputTable;
  if (!sameTable || !diffSplitTable({ inputs: before }, news).replaces.length) return [];
  return [
    `the table ${qualifiedNameOf(news)} cannot be replaced while it exists, and deletionPolicy "keep" keeps it: ` +
      `set another outputTable, or run "pulumi up" with deletionPolicy "purge" before this change`,
  ];
}
