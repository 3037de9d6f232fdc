/** The statements that are being written, each in a tab of the page. They stay while the user looks at other pages and after a reload. */
import { computed, signal } from "@preact/signals";
import { endpoint } from "../../api/session";

export interface Draft {
  readonly id: number;
  readonly query: string;
  readonly clusterName: string;
  readonly outputResourcePath: string;
  readonly label: string;
  readonly outputFormat: string;
  /** The query that ran last from here. */
  readonly queryId?: number | undefined;
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

/** The form of {@link ownFolder}. */
const generated = /^dag:\/\/default\/results\/\d{8}-\d{6}-\w{4}\/$/;

/** Gives the next query a folder of its own, unless the user has named one: results would overwrite each other. */
export function renewFolder(id: number): void {
  const found = drafts.value.all.find((each) => each.id === id);
  if (found && generated.test(found.outputResourcePath)) changeDraft({ outputResourcePath: ownFolder() }, id);
}

const storageKey = `dag-console drafts ${endpoint}`;

export const drafts = signal<Drafts>(restored());

/** The draft that is shown. */
export const draft = computed(
  () => drafts.value.all.find(({ id }) => id === drafts.value.active) ?? drafts.value.all[0]!,
);

export function changeDraft(values: Partial<Omit<Draft, "id">>, id = draft.value.id): void {
  const { all, active } = drafts.value;
  set({ all: all.map((each) => (each.id === id ? { ...each, ...values } : each)), active });
}

/** Shows a statement in a tab of its own, which takes the place of an empty one. */
export function openDraft(values: Partial<Pick<Draft, "query" | "clusterName">> = {}): void {
  const { all } = drafts.value;
  const id = 1 + Math.max(...all.map((each) => each.id));
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
  if (rest.length === 0) rest.push(emptyDraft(id + 1));
  set({ all: rest, active: rest[Math.min(at, rest.length - 1)]!.id });
}

function emptyDraft(id: number): Draft {
  return { id, query: "", clusterName: "", outputResourcePath: ownFolder(), label: "", outputFormat: "csv" };
}

function set(value: Drafts): void {
  drafts.value = value;
  try {
    sessionStorage.setItem(storageKey, JSON.stringify(value));
  } catch {
    // Without storage, or beyond its size, drafts live as long as the page.
  }
}

/** The drafts before a reload of the page. */
function restored(): Drafts {
  try {
    const stored = JSON.parse(sessionStorage.getItem(storageKey) ?? "") as Drafts;
    const all = stored.all.map((each) => ({ ...emptyDraft(each.id), ...each }));
    if (all.length > 0) return { all, active: stored.active };
  } catch {
    // Nothing is stored, or not by this version.
  }
  return { all: [emptyDraft(1)], active: 1 };
}
