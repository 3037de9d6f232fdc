/** The partitions of a table, in pages. */
import { useState } from "preact/hooks";
import type { CatalogTable } from "../../../../contract/extension";
import { PageButtons } from "../../components/icon-button";
import { TableHead } from "../../components/table-head";
import { bytes } from "../../format";
import { pageStrings } from "../../page-strings";
import { UploadButton } from "./upload";

/** Partitions of a page. */
const partitionsOnPage = 100;
/** Partitions that the service answers. */
const maxPartitions = 1000;

interface PartitionsProps {
  readonly table: Pick<CatalogTable, "location" | "partitions">;
  readonly onStored: () => void;
}

export function Partitions({ table: { location, partitions }, onStored }: PartitionsProps) {
  const text = pageStrings.tables;
  const [from, setFrom] = useState(0);
  const shown = partitions.slice(from, from + partitionsOnPage);
  return (
    <section class="panel" aria-label={text.partitions}>
      <div class="panel-head">
        <h2>{text.partitions}</h2>
        <p class="muted small" role="status">
          {text.partitionsShown(from, shown.length, partitions.length, partitions.length >= maxPartitions)}
        </p>
        {partitions.length > partitionsOnPage && (
          <span class="actions">
            <PageButtons
              names={{ earlier: text.earlierPartitions, later: text.laterPartitions }}
              earlier={from === 0 ? undefined : () => setFrom(from - partitionsOnPage)}
              later={from + partitionsOnPage >= partitions.length ? undefined : () => setFrom(from + partitionsOnPage)}
            />
          </span>
        )}
      </div>
      <table class="plain">
        <TableHead
          columns={[
            { name: text.partition },
            { name: text.objects, kind: "number" },
            { name: text.size, kind: "number" },
            { name: pageStrings.upload.button, isHidden: true },
          ]}
        />
        <tbody>
          {shown.map(({ name, objects, bytes: size }) => (
            <tr key={name}>
              <td>
                <code class="break">{name}</code>
              </td>
              <td class="number">{objects}</td>
              <td class="number">{bytes(size)}</td>
              <td class="number">
                <UploadButton folder={`${location}${name}/`} onStored={onStored} partition={name} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  );
}
