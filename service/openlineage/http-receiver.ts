/** Sends OpenLineage events over HTTP, as its specification says: one event a request, as JSON. */
import type { LineageReceiver } from "../core/ports/lineage-receiver";

export interface HttpReceiverOptions {
  readonly url: string;
  /** Sent as a bearer token. */
  readonly apiKey?: string | undefined;
}

/** Path of the receiver where the URL has none. */
const defaultPath = "/api/v1/lineage";

/** Statuses with which a server says that the request, not the event, cannot be taken now or here. */
const laterStatuses: ReadonlySet<number> = new Set([401, 403, 404, 405, 407, 408, 421, 425, 429]);

export function httpReceiver({ url, apiKey }: HttpReceiverOptions): LineageReceiver {
  const target = new URL(url);
  if (target.pathname === "/") target.pathname = defaultPath;
  const headers = {
    "content-type": "application/json",
    ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
  };
  return {
    send: async (event, signal) => {
      const response = await request(target, { method: "POST", headers, body: JSON.stringify(event), signal });
      // The body is not of interest, and must not hold the connection.
      await response.body?.cancel();
      const { status } = response;
      if (status >= 200 && status < 300) return { outcome: "received" };
      if (status >= 400 && status < 500 && !laterStatuses.has(status)) return { outcome: "refused", status };
      throw new Error(`${target.origin} answered with the status ${status}`);
    },
  };
}

/** A redirection is not followed: the key belongs to the configured server. */
async function request(target: URL, init: RequestInit): Promise<Response> {
  try {
    return await fetch(target, { ...init, redirect: "manual" });
  } catch (error) {
    const { cause, name } = error as Error & { readonly cause?: { readonly code?: unknown } };
    const why = typeof cause?.code === "string" ? cause.code : name;
    throw new Error(`${target.origin} could not be reached (${why})`, { cause: error });
  }
}
