/** The steps that wait, the next one first: a binary heap. */
/** What has a place in time. */
interface Timed {
  readonly at: number;
  /** Among those of the same time. */
  readonly order: number;
}

const isBefore = (one: Timed, other: Timed) => one.at < other.at || (one.at === other.at && one.order < other.order);

/** Adds a step to a heap. */
export function push<Step extends Timed>(heap: Step[], step: Step): void {
  let at = heap.push(step) - 1;
  while (at > 0) {
    const parent = (at - 1) >> 1;
    if (!isBefore(step, heap[parent]!)) break;
    heap[at] = heap[parent]!;
    at = parent;
  }
  heap[at] = step;
}

/** Removes the first step of a heap. */
export function pop<Step extends Timed>(heap: Step[]): Step | undefined {
  const first = heap[0];
  const last = heap.pop();
  if (first === undefined || last === undefined || heap.length === 0) return first;
  let at = 0;
  for (;;) {
    let child = 2 * at + 1;
    if (child >= heap.length) break;
    if (child + 1 < heap.length && isBefore(heap[child + 1]!, heap[child]!)) child += 1;
    if (!isBefore(heap[child]!, last)) break;
    heap[at] = heap[child]!;
    at = child;
  }
  heap[at] = last;
  return first;
}
