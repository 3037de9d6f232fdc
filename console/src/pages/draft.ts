/** The statement that is being written; it stays while the user looks at other pages. */
import { signal } from "@preact/signals";

export interface Draft {
  readonly query: string;
  readonly clusterName: string;
  readonly outputResourcePath: string;
  readonly label: string;
  readonly outputFormat: string;
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

let generated = ownFolder();

/** Gives the next query a folder of its own, unless the user has named one: results would overwrite each other. */
export function renewFolder(): void {
  if (draft.value.outputResourcePath !== generated) return;
  generated = ownFolder();
  draft.value = { ...draft.value, outputResourcePath: generated };
}

export const draft = signal<Draft>({
  query: "",
  clusterName: "",
  outputResourcePath: generated,
  label: "",
  outputFormat: "csv",
});
