/** One-time links with which the owner of a service on this machine signs in to its console. */
import { createHash, randomBytes } from "node:crypto";
import { errors, type Credentials } from "../../../contract";

/** Links that may be open at a time; an older one stops working. */
const maxLinks = 16;

/** The links that nobody has used. Only their hashes are kept. */
export class SignInLinks {
  readonly #open = new Map<string, Credentials>();

  /** Creates a link for a key pair. Returns its path; the token is in the fragment, which a browser does not send. */
  create(credentials: Credentials): string {
    const token = randomBytes(24).toString("base64url");
    this.#open.set(hashOf(token), credentials);
    while (this.#open.size > maxLinks) this.#open.delete(this.#open.keys().next().value!);
    return `/console/#sign-in=${token}`;
  }

  /** Returns the key pair of a link and closes the link. @throws AccessDenied when it was used or never existed */
  redeem(token: string): Credentials {
    const hash = hashOf(token);
    const credentials = this.#open.get(hash);
    this.#open.delete(hash);
    if (credentials) return credentials;
    throw new errors.AccessDenied(
      "the sign-in link was used before or is of an earlier start: run `dag-service open` for a new one, or enter the key pair",
    );
  }
}

function hashOf(token: string): string {
  return createHash("sha256").update(token).digest("base64");
}
