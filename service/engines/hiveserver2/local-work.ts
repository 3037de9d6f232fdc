/**
 * What the processes of this machine do for a cluster on another server: they parse statements, read the objects of
 * tables, and split. `compose.ts` passes the embedded engine.
 */
import type { CheckControl, CheckedQuery, Engine, EngineOptions } from "../../core/ports/engine";
import type { PreparedStatement, Reader } from "../prepared-statement";

export interface LocalWork extends Engine {
  /**
   * Takes the tables out of a statement, and reads their objects: all bytes, or with `if-small` those of small
   * tables only.
   * @throws InvalidDMLStatement when the statement reaches more than its tables, or when a table cannot be read by
   *   another engine in the same way
   */
  prepare(
    query: CheckedQuery,
    mode: { readonly scanMode: "always" | "if-small"; readonly reader: Reader },
    control: CheckControl,
  ): Promise<PreparedStatement>;
}

export type StartLocalWork = (options: EngineOptions) => Promise<LocalWork>;
