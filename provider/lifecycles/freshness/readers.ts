/** Notes what the queries and the splits of the program read. */
import type { CheckOptions } from "../lifecycle";
import { readStatement } from "../queries/statement";
import { hasUnknown } from "../schema/check";
import { tableName, type TableName } from "./program-tables";

/** The inputs of a query that tell what it reads. */
interface ReaderInputs {
  readonly query: string;
  readonly rerunWithTables?: boolean | undefined;
  readonly tables?: readonly string[] | undefined;
}

/**
 * Notes the tables that a query reads, and those that its existing resource has read.
 * @param read the tables of its statement; undefined while it is unknown.
 */
export function noteReader(
  { query, rerunWithTables }: ReaderInputs,
  olds: ReaderInputs | undefined,
  read: readonly TableName[] | undefined,
  { urn, secret, programTables }: CheckOptions,
): void {
  if (!programTables) return;
  if (olds?.query !== undefined && !hasUnknown(olds.query)) {
    const before = olds.query;
    programTables.hasRead(urn, () => readStatement(before).tables, olds.tables);
  }
  if (hasUnknown(query) || rerunWithTables === false) return;
  if (olds?.tables) programTables.follows(urn, secret);
  const made = (read ?? []).flatMap((table) => {
    const maker = programTables.get(table)?.urn;
    return maker === undefined ? [] : [{ name: tableName(table), maker }];
  });
  programTables.earlyReaders.checked({ urn, query, secret, tables: () => readStatement(query).tables }, made);
}

/** The inputs of a split that tell what it reads. */
interface SplitReaderInputs {
  readonly inputObjectKeys: readonly string[];
  readonly rerunOnInputChange?: boolean | undefined;
}

/** Notes the objects that a split reads. One that exists and does not follow its inputs reads nothing. */
export function noteSplit(
  { inputObjectKeys, rerunOnInputChange }: SplitReaderInputs,
  { olds, urn, secret, programTables }: CheckOptions,
): void {
  if (!programTables || hasUnknown(inputObjectKeys) || (olds && rerunOnInputChange !== true)) return;
  const made = inputObjectKeys.flatMap((name) => {
    const maker = programTables.containing(name)?.urn;
    return maker === undefined ? [] : [{ name, maker }];
  });
  programTables.earlyReaders.checkedSplit({ urn, secret, inputs: inputObjectKeys }, made);
}
