/** Sample rows as a table. Every cell is text. */
import { useState } from "preact/hooks";
import { strings } from "../strings";

export interface RowTableProps {
  readonly columns: readonly { readonly name: string; readonly type?: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly name: string;
  /** Number of rows before the first one. @default 0 */
  readonly from?: number;
}

/** Characters of a cell that its column may be too narrow for: such a cell opens to its whole text. */
const maxShort = 40;
/** Characters of a cell that is not open. */
const maxClosed = 300;

export function RowTable({ columns, rows, name, from = 0 }: RowTableProps) {
  const isNumber = columns.map((_, index) =>
    rows.every((row) => /^-?\d+(?:\.\d+)?(?:[eE][-+]?\d+)?$/.test(row[index] ?? "0")),
  );
  return (
    <div class="table-frame" role="region" aria-label={name} tabIndex={0}>
      <table class="rows">
        <thead>
          <tr>
            <th scope="col" class="row-number">
              #
            </th>
            {columns.map((column, index) => (
              <th scope="col" key={index} class={isNumber[index] ? "number" : undefined}>
                {column.name}
                {column.type && <span class="column-type">{column.type}</span>}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, number) => (
            <tr key={number}>
              <td class="row-number">{from + number + 1}</td>
              {columns.map((_, index) => (
                <td key={index} class={isNumber[index] ? "number" : undefined}>
                  <Cell text={row[index] ?? null} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  );
}

function Cell({ text }: { readonly text: string | null }) {
  if (text === null) return <span class="null">{strings.table.null}</span>;
  return text.length > maxShort || text.includes("\n") ? <LongCell text={text} /> : <>{text}</>;
}

function LongCell({ text }: { readonly text: string }) {
  const [isOpen, setOpen] = useState(false);
  const closed = text.length > maxClosed ? `${text.slice(0, maxClosed)}…` : text;
  return (
    <button type="button" class="long-cell" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
      {isOpen ? text : closed}
    </button>
  );
}
