/** Tells before anything runs that the service refuses the caller, or that it has no such cluster. */
import { ApiError } from "../../../contract";
import type { Client } from "../../client";
import { describeError } from "../describe-error";

/** Milliseconds that a preview waits for an answer. */
const timeout = 10_000;

/** Checks each cluster of a run once. */
export class ClusterCheck {
  readonly #checked = new Map<string, Promise<void>>();
  /** What was warned of: wrong keys concern all clusters. */
  readonly #codes = new Set<string>();

  /** @param warn prints a warning of the whole run. */
  constructor(
    private readonly client: Pick<Client, "getCluster">,
    private readonly warn: (text: string) => void,
  ) {}

  /** Warns when a submission to the cluster would be refused now. It is no error: the run itself may make it right. */
  check(clusterName: string): Promise<void> {
    let checked = this.#checked.get(clusterName);
    if (!checked) this.#checked.set(clusterName, (checked = this.#check(clusterName)));
    return checked;
  }

  async #check(clusterName: string): Promise<void> {
    try {
      await this.client.getCluster({ clusterName }, { timeout, maxRetries: 0 });
    } catch (error) {
      // Whatever else it is, such as a service that does not answer, is reported by what needs the answer.
      if (!(error instanceof ApiError)) return;
      const { code, status } = error;
      if (code !== "ClusterNotFound" && (status !== 403 || this.#codes.has(code))) return;
      this.#codes.add(code);
      this.warn(`"pulumi up" will fail as things are: ${describeError(error)}`);
    }
  }
}
