/**
 * The jobs that may still run on a cluster's server although no attempt resumes them: those of queries that were
 * cancelled or have failed, and those in whose place a query runs another one. Each is ended before it is forgotten.
 */

export interface JobToEnd {
  readonly id: number;
  readonly queryId: number;
  readonly clusterName: string;
  /** The engine's handle, as `AttemptSteps.setEngineHandle` stored it. */
  readonly handle: string;
  /** Milliseconds since 1970, by the service's clock, since when nothing resumes it. */
  readonly since: number;
}

/** The records of these jobs, which {@link AttemptSteps} makes. Every change is durable when the promise of its method resolves. */
export interface JobsToEnd {
  /**
   * Returns the jobs of some clusters, and all that are older than a time. They are this process's to end: no other process
   * gets them while this one lives.
   */
  claim(clusters: readonly string[], before: number): Promise<JobToEnd[]>;
  remove(id: number): Promise<void>;
}
