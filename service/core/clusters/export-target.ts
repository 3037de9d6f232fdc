/** Finds out why a folder cannot receive a log export: what is there would be lost or changed. */
import { text } from "node:stream/consumers";
import * as z from "zod";
import { formatLocation, type Location } from "../../../contract";
import { tableContaining } from "../queries/catalog";
import type { ServiceContext } from "../service-context";

/** Bytes of a manifest that are read; that of an export has some hundred. */
const maxManifestSize = 1_000_000;

/** What each manifest of an export has. */
const manifest = z.object({ clusterName: z.string(), exportedAt: z.string(), files: z.array(z.unknown()) });

/** Returns the location of the manifest of an export. */
export const manifestIn = ({ bucket, key }: Location): Location => ({ bucket, key: `${key}manifest.json` });

/** Returns why a folder cannot receive a log export; undefined when it can. */
export async function exportProblem(
  { catalog, state, storage }: Pick<ServiceContext, "catalog" | "state" | "storage">,
  target: Location,
): Promise<string | undefined> {
  const name = tableContaining(target);
  const table = `${name.database}.${name.table}`;
  if (catalog.declares(name) || (await state.catalog.getTable(name.database, name.table)))
    return `it is in the folder of the table ${table}, and the lines of the logs would be rows of it`;
  const location = manifestIn(target);
  const there = await storage.head(location);
  if (!there) return undefined;
  const known = there.size <= maxManifestSize && manifest.safeParse(parsed(await text(await storage.read(location))));
  if (known && known.success) return undefined;
  return `no log export wrote ${formatLocation(location)}, and this one would overwrite it`;
}

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
