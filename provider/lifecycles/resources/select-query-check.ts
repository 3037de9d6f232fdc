/** The check of a SelectQuery's inputs. */
import { generationFor, tableName, tablesRead, type TableName } from "../freshness/program-tables";
import { resultColumns } from "../freshness/result-columns";
import type { CheckFailure, CheckOptions, CheckResult } from "../lifecycle";
import { commonProblems } from "../queries/query-checks";
import { storageRemedy } from "../queries/query-resource";
import { folderText } from "../queries/results";
import { checkQuery, readStatement } from "../queries/statement";
import { checkProperties, hasUnknown } from "../schema/check";
import { inputs, type SelectQueryInputs } from "./select-query-properties";

/** Checks the inputs, and adds the hidden ones. */
export function checkSelectQuery(given: object, options: CheckOptions): CheckResult<SelectQueryInputs> {
  const { inputs: checked, failures } = checkProperties("SelectQuery", inputs, given, options.secret);
  if (failures.length > 0) return { inputs: checked, failures, warnings: [] };
  // The statement of an existing resource was checked before; its tables matter when the program makes one of them.
  const statement = isKnown(checked, options) ? uncheckedStatement : checkQuery(checked, options.secret);
  return {
    inputs: withFreshness(checked, statement.tables, options),
    failures: [...statement.failures, ...checkRules(checked, options)],
    warnings: statement.warnings,
  };
}

/** Returns true when a check of the same statement passed, and no resource of the program makes a table that it reads. */
function isKnown(news: SelectQueryInputs, { olds, programTables }: CheckOptions): boolean {
  const before = olds as Partial<SelectQueryInputs> | undefined;
  const isSame = before?.query === news.query && before.outputResourcePath === news.outputResourcePath;
  return isSame && programTables !== undefined && !hasUnknown(news.query) && !programTables.mayBeReadBy(news.query);
}

const uncheckedStatement = { failures: [], warnings: [], tables: undefined };

/** Adds the hidden inputs, and the folder of the result to the tables of the program. */
function withFreshness(
  news: SelectQueryInputs,
  read: readonly TableName[] | undefined,
  options: CheckOptions,
): SelectQueryInputs {
  const { olds, programTables } = options;
  const {
    query: before,
    tables: readBefore,
    outputResourcePath: folderBefore,
  } = (olds ?? {}) as Partial<SelectQueryInputs>;
  if (before !== undefined && !hasUnknown(before)) {
    programTables?.hasRead(options.urn, () => readStatement(before).tables, readBefore);
  }
  const { query, rerunWithTables } = news;
  if (programTables && !hasUnknown(query) && rerunWithTables !== false) {
    const { urn, secret } = options;
    const made = (read ?? []).flatMap((table) => {
      const maker = programTables.get(table)?.urn;
      return maker === undefined ? [] : [{ name: tableName(table), maker }];
    });
    programTables.earlyReaders.checked({ urn, query, secret, tables: () => readStatement(query).tables }, made);
  }
  const generation = generationFor(options);
  // A result that is kept also keeps what it was made of, so that it can follow its tables again later.
  const tables = tablesRead(olds && rerunWithTables === false ? undefined : read, options);
  if (programTables && !hasUnknown(news.outputResourcePath)) {
    const columns = () =>
      hasUnknown(news.query) ? undefined : resultColumns(news.query, (table) => programTables.get(table)?.columns());
    programTables.add(news.outputResourcePath, {
      urn: options.urn,
      generation,
      // One whose folder changes is replaced.
      exists: folderBefore !== undefined && folderText(folderBefore) === folderText(news.outputResourcePath),
      columns,
      mayBeDeclared: true,
    });
  }
  return { ...news, ...(tables && { tables }), ...(generation !== undefined && { generation }) };
}

function checkRules(news: SelectQueryInputs, options: CheckOptions): CheckFailure[] {
  const found = commonProblems(news, options);
  if (!options.storage && !hasUnknown(news.resultRows) && (news.resultRows ?? 0) > 0) {
    const reason = `resultRows ${news.resultRows} needs access to the object storage: ${storageRemedy}, or remove resultRows`;
    found.push({ property: "resultRows", reason });
  }
  return found;
}
