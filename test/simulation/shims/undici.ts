/** undici, whose connections lead over the world's network. */
import { network, type NetworkRequest, type NetworkResponse } from "../actors/network";

export const errors = {
  HeadersTimeoutError: class extends Error {},
  BodyTimeoutError: class extends Error {},
  ResponseExceededMaxSizeError: class extends Error {},
  HTTPParserError: class extends Error {},
  HeadersOverflowError: class extends Error {},
  ConnectTimeoutError: class extends Error {},
};

type Connected = (error: Error | null, socket: unknown) => void;
type Connector = (options: { readonly failure?: Error }, done: Connected) => void;

export function buildConnector(): Connector {
  return ({ failure }, done) => (failure ? done(failure, null) : done(null, {}));
}

export class Pool {
  constructor(
    _origin: string,
    private readonly options: { readonly connect: Connector },
  ) {}

  async request(request: NetworkRequest): Promise<NetworkResponse> {
    const answer = await network().send(request);
    if (answer.kind === "answer") return answer.response;
    if (answer.kind === "late") throw new errors.HeadersTimeoutError("no headers");
    if (answer.kind === "broken") throw Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" });
    if (answer.kind === "aborted") throw request.signal?.reason;
    const failure = Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" });
    return new Promise((_, reject) => {
      this.options.connect({ failure }, (error) => reject(error as Error));
    });
  }

  async close(): Promise<void> {}
}

export function EnvHttpProxyAgent(): never {
  throw new Error("there is no proxy in the simulation");
}
