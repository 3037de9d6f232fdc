/** The head of a plain table. */

interface TableHeadProps {
  readonly columns: readonly {
    readonly name: string;
    /** `number` for figures, `optional` for what a narrow screen leaves out. */
    readonly kind?: "number" | "optional";
    /** True for a column that needs its name only when it is read aloud. */
    readonly isHidden?: boolean;
  }[];
}

export function TableHead({ columns }: TableHeadProps) {
  return (
    <thead>
      <tr>
        {columns.map(({ name, kind, isHidden = false }) => (
          <th scope="col" class={kind} key={name}>
            {isHidden ? <span class="visually-hidden">{name}</span> : name}
          </th>
        ))}
      </tr>
    </thead>
  );
}
