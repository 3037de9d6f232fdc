/** A connection to a HiveServer2: connects, logs in, and makes calls, each within a time. */
import { X509Certificate } from "node:crypto";
import { readFileSync } from "node:fs";
import { connect as connectTcp, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { HiveConnectionError, socketError } from "./errors";
import { logIn, type Login } from "./login";
import { type Answers, type CallName, createThriftClient, thrift, type ThriftClient, types } from "./thrift";

/** A server, and how to connect to it. */
export interface ServerAddress {
  readonly host: string;
  readonly port: number;
  /** Without it, the server takes connections without authentication (NOSASL). */
  readonly login?: Login | undefined;
  /** Without it, the connection is not encrypted. The server's certificate is always verified. */
  readonly tls?: { readonly ca?: string | undefined } | undefined;
}

/** Milliseconds that connecting may take by default, with TLS and login. */
const connectMilliseconds = 10_000;

export class HiveConnection {
  /** Resolves with the reason when the connection has ended; never rejects. */
  readonly ended: Promise<HiveConnectionError>;
  readonly address: string;
  readonly #end = Promise.withResolvers<HiveConnectionError>();
  #error: HiveConnectionError | undefined;
  readonly #client: ThriftClient;
  readonly #waiting = new Set<(error: HiveConnectionError) => void>();
  readonly #onEnd = new Set<() => void>();

  /**
   * Connects and logs in.
   * @param milliseconds that it may take
   * @throws HiveConnectionError, or the signal's reason
   */
  static async open(
    server: ServerAddress,
    signal: AbortSignal,
    milliseconds: number = connectMilliseconds,
  ): Promise<HiveConnection> {
    signal.throwIfAborted();
    const address = addressOf(server);
    const socket = server.tls ? secureSocket(server, server.tls, address) : connectTcp(server.port, server.host);
    const failure = Promise.withResolvers<never>();
    const fail = (error: Error) => {
      failure.reject(error);
      socket.destroy();
    };
    let connected = false;
    const late = new HiveConnectionError("timeout", address, `did not answer within ${milliseconds / 1000} s`);
    const timer = setTimeout(() => fail(late), milliseconds);
    const abort = () => fail(signal.reason as Error);
    const onError = (error: NodeJS.ErrnoException) => fail(socketError(address, error, connected));
    const onClose = () => fail(new HiveConnectionError("lost", address, "closed the connection before it was used"));
    signal.addEventListener("abort", abort);
    socket.on("error", onError).on("close", onClose);
    const ready = async () => {
      await new Promise<void>((resolve) => socket.once(server.tls ? "secureConnect" : "connect", () => resolve()));
      connected = true;
      socket.setNoDelay(true).setKeepAlive(true, 30_000);
      if (server.login) await logIn(socket, server.login, address);
    };
    try {
      await Promise.race([ready(), failure.promise]);
      return new HiveConnection(socket, server);
    } catch (error) {
      socket.destroy();
      throw error;
    } finally {
      clearTimeout(timer);
      signal.removeEventListener("abort", abort);
      socket.off("close", onClose);
      if (!socket.destroyed) socket.off("error", onError);
    }
  }

  private constructor(
    private readonly socket: Socket,
    /** The server that took the connection. */
    readonly server: ServerAddress,
  ) {
    this.ended = this.#end.promise;
    this.address = addressOf(server);
    const { address } = this;
    const Transport = server.login ? thrift.TFramedTransport : thrift.TBufferedTransport;
    this.#client = createThriftClient(new Transport(undefined, (bytes) => void socket.write(bytes)));
    const receive = Transport.receiver((transport) => this.#read(transport));
    socket.on("data", (data) => {
      try {
        receive(data as Buffer);
      } catch {
        this.#fail(new HiveConnectionError("protocol", address, "sent an answer that is not HiveServer2's protocol"));
      }
    });
    socket.on("error", (error) => this.#fail(socketError(address, error, true)));
    socket.on("close", () => this.#fail(new HiveConnectionError("lost", address, "closed the connection")));
  }

  /**
   * Makes a call. A connection with a call that is late is closed: the answers of a connection come in order.
   * @param type name of the message's class, such as `TOpenSessionReq`
   * @throws HiveConnectionError
   */
  call<Name extends CallName>(name: Name, type: string, fields: object, milliseconds: number): Promise<Answers[Name]> {
    if (this.#error) return Promise.reject(this.#error);
    const request = new types[type]!(fields);
    const { promise, resolve, reject } = Promise.withResolvers<Answers[Name]>();
    const late = () => {
      const reason = `did not answer the call ${name} within ${milliseconds / 1000} s`;
      this.#fail(new HiveConnectionError("timeout", this.address, reason));
    };
    const timer = setTimeout(late, milliseconds);
    this.#waiting.add(reject);
    const answered = (error: unknown, answer: unknown) => {
      if (error) reject(new HiveConnectionError("protocol", this.address, `does not support the call ${name}`));
      else resolve(answer as Answers[Name]);
    };
    const send = (this.#client as unknown as Record<string, (request: object, answered: unknown) => void>)[name]!;
    send.call(this.#client, request, answered);
    return promise.finally(() => {
      clearTimeout(timer);
      this.#waiting.delete(reject);
    });
  }

  /** Calls a function when the connection has ended. @returns a function that removes it */
  onEnd(listener: () => void): () => void {
    if (this.#error) listener();
    else this.#onEnd.add(listener);
    return () => void this.#onEnd.delete(listener);
  }

  /** Closes the connection; calls that wait for answers are rejected. */
  close(): void {
    this.#fail(new HiveConnectionError("lost", this.address, "was disconnected"));
  }

  #fail(error: HiveConnectionError): void {
    if (this.#error) return;
    this.#error = error;
    this.socket.destroy();
    for (const reject of this.#waiting) reject(error);
    this.#end.resolve(error);
    for (const listener of this.#onEnd) listener();
  }

  /** Reads the complete answers; an incomplete one is read again when more bytes have come. */
  #read(transport: Parameters<Parameters<typeof thrift.TBufferedTransport.receiver>[0]>[0]): void {
    const reader = new thrift.TBinaryProtocol(transport, true);
    const requests = this.#client._reqs;
    const receivers = this.#client as unknown as Record<string, (input: object, type: number, id: number) => void>;
    try {
      for (;;) {
        const { fname, mtype, rseqid } = reader.readMessageBegin();
        const receiver = receivers[`recv_${fname}`];
        if (!receiver) throw new TypeError(`unknown answer ${fname}`);
        // The request is answered only when the whole answer could be read.
        requests[-rseqid] = (error, answer) => {
          transport.commitPosition();
          const answered = requests[rseqid];
          delete requests[rseqid];
          answered?.(error, answer);
        };
        receiver.call(this.#client, reader, mtype, -rseqid);
      }
    } catch (error) {
      if (!isIncomplete(error)) throw error;
      transport.rollbackPosition();
    }
  }
}

/** Returns the text by which messages name a server. */
export const addressOf = ({ host, port }: Pick<ServerAddress, "host" | "port">) =>
  `hive2://${host.includes(":") ? `[${host}]` : host}:${port}`;

function secureSocket({ host, port }: ServerAddress, { ca }: { readonly ca?: string | undefined }, address: string) {
  return connectTls({
    host,
    port,
    ...(isIP(host) ? {} : { servername: host }),
    ...(ca === undefined ? {} : { ca: readAuthority(ca, address) }),
    rejectUnauthorized: true,
  });
}

function readAuthority(file: string, address: string): Buffer {
  let content: Buffer;
  try {
    content = readFileSync(file);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    throw authorityError(file, address, `cannot be read (${code})`);
  }
  try {
    // Node.js takes a file without any certificate as one that trusts nobody.
    if (content.includes("-----BEGIN CERTIFICATE-----") && new X509Certificate(content)) return content;
  } catch {
    // Told below.
  }
  throw authorityError(file, address, "has no certificate in PEM");
}

function authorityError(file: string, address: string, why: string): HiveConnectionError {
  const reason = `cannot be verified: the file ${file} ${why}: correct tls.ca in the config`;
  return new HiveConnectionError("tls", address, reason);
}

const isIncomplete = (error: unknown) => error instanceof Error && error.name === "InputBufferUnderrunError";
