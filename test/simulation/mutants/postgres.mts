/** Changes of how services share a state in PostgreSQL. */
import type { Mutant } from "./mutant.mts";

const folders = "service/state/outputs/folders.ts";
const lease = "service/state/postgres/lease.ts";
const takeover = "service/state/postgres/takeover.ts";

export const postgresMutants: readonly Mutant[] = [
  {
    name: "PostgreSQL: takes over a query whose publication is confirmed",
    kind: "shared",
    file: takeover,
    from: "coalesce(q.held_until, '-infinity') < now()",
    to: "true",
  },
  {
    name: "PostgreSQL: takes over what a living process runs",
    kind: "shared",
    file: takeover,
    from: "WHERE p.id = q.runner AND ${isAlive})`;",
    to: "WHERE p.id = q.runner AND false)`;",
  },
  {
    name: "PostgreSQL: a taken over attempt keeps its number",
    kind: "shared",
    file: takeover,
    from: "SET runner = $1, epoch = epoch + 1, held_until = NULL",
    to: "SET runner = $1, held_until = NULL",
  },
  {
    name: "PostgreSQL: queries of ended processes are left",
    kind: "shared",
    file: lease,
    from: "if (orphan && performance.now() >= this.#takesOverFrom) takeover.request(listener);",
    to: "",
  },
  {
    name: "PostgreSQL: a slow confirmation counts",
    kind: "shared",
    file: lease,
    from: "if (performance.now() - sent < confirmedMilliseconds) return true;",
    to: "return true;",
  },
  {
    name: "PostgreSQL: an attempt that was lost is confirmed",
    kind: "shared",
    file: lease,
    from: "WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,",
    to: "WHERE id = $1 AND $2 = $2 AND status = 'running' RETURNING id`,",
  },
  {
    name: "PostgreSQL: a query that its process does not know is kept",
    kind: "shared",
    file: lease,
    from: "if (twice.length === 0) return;",
    to: "return;",
  },
  {
    name: "PostgreSQL: a cancel of another process's query is answered before the query has ended",
    kind: "shared",
    file: "service/state/postgres/admission.ts",
    from: 'if (row?.status !== "running") return row?.status;',
    to: 'if (row) return "canceled";',
  },
  {
    name: "PostgreSQL: more than the slots",
    kind: "shared",
    file: "service/state/postgres/admission-transactions.ts",
    from: "if (running >= slots)",
    to: "if (running > slots)",
  },
  {
    name: "PostgreSQL: the end of an earlier attempt is stored",
    kind: "shared",
    file: "service/state/postgres/ends.ts",
    from: "WHERE id = $1 AND epoch = $2 AND status = 'running' RETURNING id`,\n    [id, epoch, status,",
    to: "WHERE id = $1 AND $2 = $2 AND status = 'running' RETURNING id`,\n    [id, epoch, status,",
  },
  {
    name: "PostgreSQL: a cancelled query is published",
    kind: "shared",
    file: "service/state/postgres/attempt-steps.ts",
    from: "AND status = 'running' AND NOT cancelling RETURNING id)",
    to: "AND status = 'running' RETURNING id)",
  },
  {
    name: "PostgreSQL: a folder in that of another query",
    kind: "shared",
    file: "service/state/postgres/admission-transactions.ts",
    from: "AND bucket = $1 AND (starts_with(folder, $2) OR starts_with($2, folder))",
    to: "AND bucket = $1 AND folder = $2",
  },
  {
    name: "PostgreSQL: a result is published without a confirmation",
    kind: "shared",
    file: folders,
    from: "if (exists(to)) await removeFolder(old);\n        await publication.confirm();",
    to: "if (exists(to)) await removeFolder(old);",
  },
  {
    name: "PostgreSQL: a table is published without a confirmation",
    kind: "shared",
    file: folders,
    from: "await removeEmptyFolders(to);\n      await publication.confirm();",
    to: "await removeEmptyFolders(to);",
  },
  {
    name: "PostgreSQL: a publication on S3 is confirmed once",
    kind: "shared",
    file: "service/state/outputs/hold.ts",
    from: "while (performance.now() >= this.#heldUntil) await this.#confirm();",
    to: "if (this.#heldUntil < 0) await this.#confirm();",
  },
];
