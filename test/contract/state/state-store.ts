/** A store of states, and what its tests submit. */
import { afterEach, beforeEach } from "vitest";
import type { StateAdapter } from "../../../service/state/state-adapter";
import type {
  AcceptConditions,
  AcceptedQuery,
  QueryAttempt,
  State,
  StateListener,
  StoredQuery,
} from "../../../service/core/ports/state";

/** A store of states, which is empty at the beginning of each test. */
export interface StateStore {
  /** Opens the state, as the start of a service does. The suite closes it. */
  open(): Promise<StateAdapter>;
  /** Deletes the store; every state is closed. */
  delete(): Promise<void>;
}

export const advance = { progress: 100, stage: 2, jobId: "job-1" };
export const duckdb = { type: "duckdb", debug: false };
export const conditions = { slots: 1000, generation: 0 };

let paths = 0;

type Overrides = {
  readonly type?: AcceptedQuery["type"];
  readonly clusterName?: string;
  readonly label?: string | null;
  readonly folder?: string;
};

/** Returns a submission; without a folder, to one that no other has. */
export function submission({ type, folder = `r${(paths += 1)}`, ...overrides }: Overrides = {}): AcceptedQuery {
  const common = { clusterName: "c1", accessKeyId: "AK", label: null, startTime: 1_700_000_000_000, ...overrides };
  return type === "split"
    ? {
        ...common,
        type,
        inputObjectKeys: ["dag://data/a"],
        inputFormat: "csv",
        schema: null,
        outputDatabase: "data",
        outputTable: folder,
      }
    : { ...common, type: "select", query: "select 1", outputFormat: "csv", outputResourcePath: `dag://out/${folder}/` };
}

/** Accepts a query. @throws when it is refused */
export async function accept(
  state: State,
  given: AcceptedQuery = submission(),
  more: Partial<AcceptConditions> = {},
): Promise<StoredQuery> {
  const accepted = await state.admission.accept(given, { ...conditions, ...more });
  if (accepted.refused) throw new Error(accepted.refused);
  return accepted.query;
}

/** A listener that records what it is told. */
export function recorder() {
  const told = {
    cancelled: [] as number[],
    lost: [] as QueryAttempt[],
    generations: new Map<string, number>(),
    takenOver: [] as QueryAttempt[],
  };
  const listener: StateListener = {
    cancelled: (id) => void told.cancelled.push(id),
    lost: ({ id, epoch }) => void told.lost.push({ id, epoch }),
    takenOver: ({ id, epoch }) => void told.takenOver.push({ id, epoch }),
    takeoverFailed: (error) => {
      throw error;
    },
    restarted: (name, { generation }) => void told.generations.set(name, generation),
  };
  return { told, listener };
}

/**
 * Opens a state of an empty store before each test, and deletes the store after it.
 * @param onOpen called with each state that is opened
 * @returns `reopen` closes the state and opens it again, as the next start of a service does
 */
export function useState(create: () => Promise<StateStore>, onOpen: (state: State) => void) {
  let store: StateStore;
  const opened: State[] = [];
  const open = async () => {
    const next = await store.open();
    opened.push(next);
    onOpen(next);
    return next;
  };

  beforeEach(async () => {
    store = await create();
    const state = await open();
    for (const cluster of ["c1", "c2", "d1"]) await state.admission.registerCluster(cluster, duckdb);
  });
  afterEach(async () => {
    for (const one of opened.splice(0)) await one.close();
    await store.delete();
  });
  return {
    reopen: async () => {
      await opened.at(-1)?.close();
      return open();
    },
  };
}
