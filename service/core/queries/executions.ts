/**
 * The queries that this process runs: running → finished | canceled | error (specification §3; transitions as design
 * §3).
 *
 * A query is in this list from its acceptance, or from its takeover, until its end is stored or another process has
 * taken it over. The lists of all processes together equal the queries that are `running` in the state.
 */
import type { QueryStatus } from "../../../contract";
import { outputFolder } from "./output-folder";
import type { QueryAttempt, StoredQuery } from "../ports/state";
import type { QueryContext } from "./query-context";
import type { StatementReads } from "./reads";
import { Execution } from "./execution";

export class Executions {
  readonly #executions = new Map<number, Execution>();
  #stopped = false;

  constructor(private readonly context: QueryContext) {}

  /**
   * Starts an attempt of an accepted query, which this process has begun.
   * @param reads what the statement reads, when its check has just found that out.
   */
  start(query: StoredQuery, reads?: StatementReads): void {
    // After the loss of a lease, this process may have begun a later attempt before the earlier one has ended.
    this.#executions.get(query.id)?.lose();
    const execution = new Execution(query, this.context, reads);
    this.#executions.set(query.id, execution);
    const remove = () => {
      if (this.#executions.get(query.id) === execution) this.#executions.delete(query.id);
    };
    execution.done = execution.toEnd(remove).finally(remove);
    if (this.#stopped) execution.stop();
  }

  /**
   * Cancels a query and waits until its job has ended and its temporary objects are deleted.
   * @returns true when it ended as `canceled`; false when it ended in another way first.
   * @throws ServiceUnavailable when its job has ended and the state cannot store that now.
   */
  async cancel(id: number): Promise<boolean> {
    if (!(await this.context.state.admission.cancel(id))) return false;
    return (await this.#cancelled(id, (execution) => execution.ended())) === "canceled";
  }

  /** Ends the job of a query that is cancelled in the state, and waits until that is stored. */
  async finishCancel(id: number): Promise<void> {
    await this.#cancelled(id, ({ done }) => done);
  }

  /** Ends the job of a query that was cancelled through another process. */
  onCancelled(id: number): void {
    this.#executions.get(id)?.cancel();
  }

  /** Ends an attempt that is not the query's last one. */
  onLost({ id, epoch }: QueryAttempt): void {
    const execution = this.#executions.get(id);
    if (execution?.query.epoch === epoch) execution.lose();
  }

  /** Returns the IDs of the queries of a cluster that this process runs. */
  idsOn(clusterName: string): number[] {
    return [...this.#executions.values()]
      .map(({ query }) => query)
      .filter((query) => query.clusterName === clusterName)
      .map(({ id }) => id);
  }

  async #cancelled(id: number, end: (execution: Execution) => Promise<void>): Promise<QueryStatus | undefined> {
    const execution = this.#executions.get(id);
    execution?.cancel();
    if (execution) await end(execution);
    return execution?.finalStatus ?? (await this.#cancelledElsewhere(id));
  }

  /** Waits for the end of a query of another process. When that process is gone, nobody else deletes what it wrote. */
  async #cancelledElsewhere(id: number): Promise<QueryStatus | undefined> {
    const { state, platform } = this.context;
    const status = await state.admission.waitForCancelEnd(id);
    const query = status === "canceled" ? await state.queries.get(id) : undefined;
    if (query) {
      this.context.jobEnds.check();
      await platform.outputs.discard(id, outputFolder(query).bucket).catch((error: unknown) => {
        platform.log.warn({ queryId: id, err: error }, "temporary objects could not be deleted");
      });
    }
    return status;
  }

  /**
   * Stops all jobs, and those that are still started. Another process, or the next start, resumes them. Queries that are
   * publishing their result finish first.
   */
  async stop(): Promise<void> {
    this.#stopped = true;
    const executions = [...this.#executions.values()];
    for (const execution of executions) execution.stop();
    await Promise.all(executions.map(({ done }) => done));
  }
}
