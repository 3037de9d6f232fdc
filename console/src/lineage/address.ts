/** The addresses of what a lineage names. */
import type { LineageNode } from "../../../contract/extension";
import { href } from "../router";

/** The path of a folder's lineage, in the console and in the service's extension. */
export function lineagePath(location: string): string {
  const segments = location.slice("dag://".length).replace(/\/$/, "").split("/");
  return `/lineage/${segments.map(encodeURIComponent).join("/")}`;
}

/** The address of a table or view; undefined for a folder that is none, and for what was deleted. */
export function tableAddress({
  id,
  kind,
  isDeleted,
}: Pick<LineageNode, "id" | "isDeleted"> & { readonly kind: string }): string | undefined {
  const [, database, table] = /^dag:\/\/([^/]+)\/([^/]+)\/$/.exec(id) ?? [];
  return database && table && !isDeleted
    ? href(`/${kind === "view" ? "views" : "tables"}/${database}/${encodeURIComponent(table)}`)
    : undefined;
}
