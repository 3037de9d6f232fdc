/** Finds out why a folder cannot receive a log export: what is there would be lost or changed. */
import { text } from "node:stream/consumers";
import * as z from "zod";
import { formatLocation, isHiddenObject, type Location } from "../../../contract";
import { tableContaining, tableFolder } from "../queries/catalog";
import { hasRows } from "../queries/published";
import type { ServiceContext } from "../service-context";

/** Bytes of a manifest that are read; that of an export has some hundred. */
const maxManifestSize = 1_000_000;

/** What each manifest of an export has. */
const manifest = z.object({ clusterName: z.string(), exportedAt: z.string(), files: z.array(z.unknown()) });

/** Returns the location of the manifest of an export. */
export const manifestIn = ({ bucket, key }: Location): Location => ({ bucket, key: `${key}manifest.json` });

/**
 * Returns why a folder cannot receive a log export; undefined when it can.
 * @param files the objects that the export writes, besides its manifest
 */
export async function exportProblem(
  { catalog, state, storage }: Pick<ServiceContext, "catalog" | "state" | "storage">,
  target: Location,
  files: readonly Location[],
): Promise<string | undefined> {
  // In the root of a bucket, the folders of the files are folders of tables.
  const folders = target.key === "" ? files : [target];
  for (const folder of folders) {
    const problem = await tableProblem({ catalog, state, storage }, target, folder);
    if (problem !== undefined) return problem;
  }
  const location = manifestIn(target);
  const there = await storage.head(location);
  if (!there) return foreignFile(storage, files);
  const known = there.size <= maxManifestSize && manifest.safeParse(parsed(await text(await storage.read(location))));
  if (known && known.success) return undefined;
  return notExported(location);
}

/** Returns why a folder of a table cannot receive what an export to the target writes there; undefined when it can. */
async function tableProblem(
  { catalog, state, storage }: Pick<ServiceContext, "catalog" | "state" | "storage">,
  target: Location,
  written: Location,
): Promise<string | undefined> {
  const name = tableContaining(written);
  const folder = tableFolder(name);
  const table = `${name.database}.${name.table}`;
  // What is hidden has no rows, but no purge deletes a table with objects that its query did not write.
  const harm = isHiddenObject(written.key.slice(folder.key.length))
    ? "with the logs in it, the table could be neither made again nor purged"
    : "the lines of the logs would be rows of it";
  if (catalog.declares(name) || (await state.catalog.getTable(name.database, name.table)))
    return `${target.key === "" ? formatLocation(written) : "it"} is in the folder of the table ${table}: ${harm}`;
  // An earlier export to the root has left objects in it.
  if (target.key === "") return undefined;
  const other = await otherObject(storage, folder);
  return other && `it is in the folder of the table ${table}, which has ${formatLocation(other)}: ${harm}`;
}

/** Finds a file that an export would overwrite, where no earlier one has left its manifest. */
async function foreignFile(
  storage: ServiceContext["storage"],
  files: readonly Location[],
): Promise<string | undefined> {
  for (const file of files) if (await storage.head(file)) return notExported(file);
  return undefined;
}

const notExported = (location: Location) =>
  `no log export wrote ${formatLocation(location)}, or one that did not end, and this one would overwrite it: name another folder, or move it away`;

/** Objects of a folder that are looked at. */
const maxObjects = 1000;

/** Returns an object of a table's folder that is read with the table, and that no log export wrote. */
async function otherObject(storage: ServiceContext["storage"], folder: Location): Promise<Location | undefined> {
  let looked = 0;
  for await (const object of storage.list(folder)) {
    const path = object.location.key.slice(folder.key.length);
    if (hasRows(folder, object) && !exported.test(path)) return object.location;
    looked += 1;
    if (looked === maxObjects) return undefined;
  }
  return undefined;
}

/** What exports write to the folders below a table's; the files of one that still runs have no manifest yet. */
const exported = /(?:^|\/)(?:(?:service|engine)\/|manifest\.json$)/;

function parsed(json: string): unknown {
  try {
    return JSON.parse(json);
  } catch {
    return undefined;
  }
}
