/** Notes what the queries of the program read. */
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
  const made = (read ?? []).flatMap((table) => {
    const maker = programTables.get(table)?.urn;
    return maker === undefined ? [] : [{ name: tableName(table), maker }];
  });
  programTables.earlyReaders.checked({ urn, query, secret, tables: () => readStatement(query).tables }, made);
}
