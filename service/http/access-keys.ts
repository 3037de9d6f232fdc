/** The key pairs that the service accepts. A reload of the config replaces all of them in one step. */
import type { Credentials } from "../../contract";

/** What a replacement has changed. */
export interface ReplacedKeys {
  readonly added: readonly string[];
  readonly removed: readonly string[];
}

/** The accepted key pairs, by access key ID. */
export class AccessKeys {
  #secrets: ReadonlyMap<string, string>;

  constructor(pairs: readonly Credentials[]) {
    this.#secrets = secretsById(pairs);
  }

  /** Returns the secret of a key; undefined for one that is not accepted. */
  secretOf(accessKeyId: string): string | undefined {
    return this.#secrets.get(accessKeyId);
  }

  /** Accepts these key pairs and no others, from the next request on. Returns the IDs of keys that came and went. */
  replace(pairs: readonly Credentials[]): ReplacedKeys {
    const before = this.#secrets;
    this.#secrets = secretsById(pairs);
    const isSame = (id: string) => before.get(id) === this.#secrets.get(id);
    return {
      added: [...this.#secrets.keys()].filter((id) => !isSame(id)),
      removed: [...before.keys()].filter((id) => !isSame(id)),
    };
  }
}

function secretsById(pairs: readonly Credentials[]): ReadonlyMap<string, string> {
  return new Map(pairs.map(({ accessKeyId, secretAccessKey }) => [accessKeyId, secretAccessKey]));
}
