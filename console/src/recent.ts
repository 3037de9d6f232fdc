/** Values by key, of which only the last are kept. */
export class Recent<T> {
  readonly #values = new Map<string, T>();

  /** @param max values that are kept */
  constructor(private readonly max: number) {}

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    this.#values.delete(key);
    this.#values.set(key, value);
    if (this.#values.size > this.max) this.#values.delete(this.#values.keys().next().value!);
  }
}
