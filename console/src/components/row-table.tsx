/** Sample rows as a table. Every cell is text. */
import { strings } from "../strings";

export interface RowTableProps {
  readonly columns: readonly { readonly name: string; readonly type?: string }[];
  readonly rows: readonly (readonly (string | null)[])[];
  readonly name: string;
  /** Number of rows before the first one. @default 0 */
  readonly from?: number;
}

/** Characters of a cell that are shown; the rest is a hint. */
const maxShown = 300;

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
  return text.length > maxShown ? <span title={text}>{`${text.slice(0, maxShown)}…`}</span> : <>{text}</>;
}
