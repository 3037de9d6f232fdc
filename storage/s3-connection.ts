/** The connection to S3. */
import type { S3Client } from "@aws-sdk/client-s3";

/** The SDK, which is loaded on first use, and its client. */
export interface S3Connection {
  readonly sdk: typeof import("@aws-sdk/client-s3");
  readonly client: S3Client;
}

/**
 * Returns a connection whose requests, and the further attempts that the SDK makes of one, wait for `permit`, and end when
 * the signal is aborted.
 */
export function guardedConnection(
  { sdk, client }: S3Connection,
  permit: () => Promise<void>,
  signal: AbortSignal,
): S3Connection {
  const send = (command: Parameters<S3Client["send"]>[0], options: { readonly abortSignal?: AbortSignal } = {}) => {
    command.middlewareStack.add(
      (next) => async (sent) => {
        await permit();
        return next(sent);
      },
      // After the middleware that repeats requests.
      { step: "finalizeRequest", priority: "low", name: "permit" },
    );
    const abortSignal = options.abortSignal ? AbortSignal.any([options.abortSignal, signal]) : signal;
    return (client.send as (...values: unknown[]) => unknown).call(client, command, { ...options, abortSignal });
  };
  return { sdk, client: Object.assign(Object.create(client) as S3Client, { send: send as S3Client["send"] }) };
}
