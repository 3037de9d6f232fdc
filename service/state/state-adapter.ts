/** An adapter of the state: what the core needs of it, and what the adapters of the outputs do. */
import type { State } from "../core/ports/state";
import type { OutputRecords } from "./outputs/output-records";

export interface StateAdapter extends State {
  /** What attempts have written to S3. */
  readonly outputRecords: OutputRecords;
}
