/** The statements that are being written, each in a tab of the page. They stay while the user looks at other pages and after a reload. */
import { computed, signal } from "@preact/signals";
import { endpoint } from "../../api/session";
import type { Pending } from "../../api/kept-request";

/** The body of a submission. */
export interface SelectRequest {
  readonly query: string;
  readonly clusterName: string;
  readonly outputResourcePath: string;
  readonly outputFormat: string;
  readonly label?: string;
}

export interface Draft {
  readonly id: number;
  readonly query: string;
  readonly clusterName: string;
  readonly outputResourcePath: string;
  readonly label: string;
  readonly outputFormat: string;
  /** The query that ran last from here. */
  readonly queryId?: number | undefined;
  /** The request whose answer has not come. */
  readonly pending?: Pending<SelectRequest> | undefined;
}

/** Returns what a draft submits. */
export function requestOf({ query, clusterName, outputResourcePath, outputFormat, label }: Draft): SelectRequest {
  return { query, clusterName, outputResourcePath, outputFormat, ...(label === "" ? {} : { label }) };
}

interface Drafts {
  readonly all: readonly Draft[];
  /** The one that is shown. */
  readonly active: number;
}

/** Returns a folder that no other query writes to, such as `dag://default/results/20261124-150312-k3x9/`. */
export function ownFolder(now = new Date()): string {
  const [date = "", time = ""] = now
    .toISOString()
    .replaceAll(/[-:]|\.\d+Z/g, "")
    .split("T");
  const random = crypto.getRandomValues(new Uint32Array(1))[0]!.toString(36).padStart(7, "0").slice(-4);
  return `dag://default/results/${date}-${time}-${random}/`;
}

const storageKey = `dag-console drafts ${endpoint}`;

export const drafts = signal<Drafts>(restored());

/** The answer to the submission of a closed draft must not reach another one, so that no ID is used twice. */
let lastId = Math.max(...drafts.peek().all.map(({ id }) => id));

const nextId = () => (lastId += 1);

/** The draft that is shown. */
export const draft = computed(
  () => drafts.value.all.find(({ id }) => id === drafts.value.active) ?? drafts.value.all[0]!,
);

export function changeDraft(values: Partial<Omit<Draft, "id">>, id = draft.value.id): void {
  const { all, active } = drafts.value;
  set({ all: all.map((each) => (each.id === id ? { ...each, ...values } : each)), active });
}

/** Shows a statement in a tab of its own, which takes the place of an empty one. */
export function openDraft(values: Partial<Pick<Draft, "query" | "clusterName" | "outputFormat" | "label">> = {}): void {
  const { all } = drafts.value;
  const id = nextId();
  const before = draft.value;
  const isReplaced = values.query !== undefined && before.query.trim() === "";
  const opened = { ...(isReplaced ? before : emptyDraft(id)), clusterName: before.clusterName, ...values, id };
  set({ all: isReplaced ? all.map((each) => (each === before ? opened : each)) : [...all, opened], active: id });
}

export function showDraft(id: number): void {
  set({ ...drafts.value, active: id });
}

/** Closes a draft; the one beside it is shown. */
export function closeDraft(id: number): void {
  const { all } = drafts.value;
  const at = all.findIndex((each) => each.id === id);
  const rest = all.filter((each) => each.id !== id);
  if (rest.length === 0) rest.push(emptyDraft(nextId()));
  set({ all: rest, active: rest[Math.min(at, rest.length - 1)]!.id });
}

function emptyDraft(id: number): Draft {
  return { id, query: "", clusterName: "", outputResourcePath: ownFolder(), label: "", outputFormat: "csv" };
}

function set(value: Drafts): void {
  drafts.value = value;
  storeInTab(storageKey, value);
}

/** Keeps a value until the browser's tab is closed. */
export function storeInTab(key: string, value: object): void {
  try {
    sessionStorage.setItem(key, JSON.stringify(value));
  } catch {
    // Without storage, or beyond its size, the value lives as long as the page.
  }
}

/** Returns a value that this tab keeps; undefined when it keeps none, or not of this version. */
export function storedInTab(key: string): unknown {
  try {
    return JSON.parse(sessionStorage.getItem(key) ?? "") as unknown;
  } catch {
    return undefined;
  }
}

/** The drafts before a reload of the page. */
function restored(): Drafts {
  try {
    const stored = storedInTab(storageKey) as Drafts;
    const all = stored.all.map((each) => ({ ...emptyDraft(each.id), ...each }));
    if (all.length > 0) return { all, active: stored.active };
  } catch {
    // Nothing is stored, or not by this version.
  }
  return { all: [emptyDraft(1)], active: 1 };
}
