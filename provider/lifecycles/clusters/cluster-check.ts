/** Tells before anything runs that the service does not answer or refuses the caller, or that it has no such cluster. */
import { ApiError } from "../../../contract";
import { ConnectionError, TlsError, type Client } from "../../client";
import { describeError } from "../describe-error";

/** Milliseconds that a preview waits for an answer. */
const timeout = 10_000;

/** Checks each cluster of a run once. */
export class ClusterCheck {
  readonly #checked = new Map<string, Promise<void>>();
  /** What was warned of: wrong keys concern all clusters. */
  readonly #codes = new Set<string>();
  #isUnreachable = false;

  /** @param warn prints a warning of the whole run. */
  constructor(
    private readonly client: Pick<Client, "getCluster">,
    private readonly warn: (text: string) => void,
  ) {}

  /** True when a warning has said that the service cannot be reached. */
  get isUnreachable(): boolean {
    return this.#isUnreachable;
  }

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
      if (this.#concernsRun(error)) this.warn(`"pulumi up" will fail as things are: ${describeError(error)}`);
    }
  }

  /** Returns false for what was said before, and for what is reported by what needs the answer, such as a slow service. */
  #concernsRun(error: unknown): boolean {
    if (error instanceof ConnectionError || error instanceof TlsError) {
      const isFirst = !this.#isUnreachable;
      this.#isUnreachable = true;
      return isFirst;
    }
    if (!(error instanceof ApiError)) return false;
    const { code, status } = error;
    if (code !== "ClusterNotFound" && (status !== 403 || this.#codes.has(code))) return false;
    this.#codes.add(code);
    return true;
  }
}
