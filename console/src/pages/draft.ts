/** The statement that is being written; it stays while the user looks at other pages. */
import { signal } from "@preact/signals";

export interface Draft {
  readonly query: string;
  readonly clusterName: string;
  readonly outputResourcePath: string;
  readonly label: string;
  readonly outputFormat: string;
}

export const draft = signal<Draft>({
  query: "",
  clusterName: "",
  outputResourcePath: "dag://default/results/",
  label: "",
  outputFormat: "csv",
});
