/** What a process of schedules has done. */
export interface Summary {
  readonly schedules: number;
  readonly steps: number;
  readonly milliseconds: number;
  /** The time of the processor. */
  readonly processorMilliseconds: number;
  /** How often each kind of step and fault happened. */
  readonly coverage: Readonly<Record<string, number>>;
  /** The first schedule that violates a guarantee. */
  readonly violation?: {
    readonly seed: number;
    readonly invariant: string;
    /** The lines that tell it. */
    readonly story: readonly string[];
  };
}
