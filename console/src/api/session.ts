/** Who is signed in, to which service. */
import { signal } from "@preact/signals";
import { endpointUrl } from "../../../contract/endpoint";
import { canSign, importSecret } from "./sign";

/** A signed-in key pair; the secret is in a key that cannot be exported. */
export interface Session {
  readonly accessKeyId: string;
  readonly key: CryptoKey;
}

/** True when this tab keeps the key pair until it is closed. */
export const isKept = signal(false);

/** The secret of the session in memory, for the case that the user decides later to keep it. */
let current: { readonly accessKeyId: string; readonly secret: string } | undefined;

/** The current session; undefined when nobody is signed in. */
export const session = signal<Session | undefined>(undefined);

const givenEndpoint = new URLSearchParams(window.location.search).get("endpoint") ?? "";
/** The value of `?endpoint=` when it is the URL of no service; then no service may be called. */
export const wrongEndpoint = givenEndpoint !== "" && !endpointUrl(givenEndpoint) ? givenEndpoint : undefined;

/** Base URL of the service: of this page, or of `?endpoint=`. */
export const endpoint = readEndpoint();
/** True when the service is another one than that which serves this page. */
export const isRemote = endpoint !== window.location.origin;

/** A key pair is kept for one service only. */
const storageKey = `dag-console ${endpoint}`;

/**
 * Signs in.
 * @param remember true to keep the key pair until the tab is closed.
 * @param verify rejects when the service refuses the key pair.
 */
export async function signIn(
  accessKeyId: string,
  secret: string,
  remember: boolean,
  verify: (candidate: Session) => Promise<void> = async () => undefined,
): Promise<void> {
  const key = await importSecret(secret);
  await verify({ accessKeyId, key });
  current = { accessKeyId, secret };
  keep(remember);
  session.value = { accessKeyId, key };
}

/** Keeps the key pair in this tab until it is closed, or in memory only. */
export function keep(isOn: boolean): void {
  isKept.value = isOn;
  if (isOn && current) sessionStorage.setItem(storageKey, JSON.stringify(current));
  else sessionStorage.removeItem(storageKey);
}

/** Forgets the key pair. */
export function signOut(): void {
  current = undefined;
  keep(false);
  session.value = undefined;
}

/**
 * Signs in with the link that the service printed, or with the key pair that this tab remembers.
 * @throws Error with the service's message when the link cannot be used.
 */
export async function restoreSession(): Promise<void> {
  const token = /^#sign-in=([\w-]+)$/.exec(window.location.hash)?.[1];
  if (token !== undefined) {
    // The token must not stay in the history.
    history.replaceState(history.state, "", window.location.pathname + window.location.search);
    if (!isRemote && canSign) return redeem(token);
  }
  const stored = sessionStorage.getItem(storageKey);
  if (stored === null || !canSign) return;
  const { accessKeyId, secret } = JSON.parse(stored) as { accessKeyId: string; secret: string };
  await signIn(accessKeyId, secret, true);
}

async function redeem(token: string): Promise<void> {
  const answer = await fetch("/console/sign-in", { method: "POST", headers: { "x-dag-control": "1" }, body: token });
  const body = (await answer.json()) as { accessKeyId: string; secretAccessKey: string; message?: string };
  if (!answer.ok) throw new Error(body.message);
  await signIn(body.accessKeyId, body.secretAccessKey, false);
}

function readEndpoint(): string {
  const given = endpointUrl(givenEndpoint);
  return given ? given.origin + given.pathname.replace(/\/+$/, "") : window.location.origin;
}
