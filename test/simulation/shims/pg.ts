/** The driver of PostgreSQL, whose connections lead to the world's server. */
import { EventEmitter } from "node:events";
import pg, { type ClientConfig } from "pg";
import { postgres, type ServerConnection } from "../actors/postgres";
import { world } from "../world/world";

export const { DatabaseError, Pool, types } = pg;

export class Client extends pg.Client {
  constructor(config?: ClientConfig) {
    super({ ...config, stream: () => new Socket() as never } as ClientConfig);
  }
}

/** A socket, as far as the driver uses it. What is sent arrives in order. */
class Socket extends EventEmitter {
  writable = true;
  readonly #owner = world().current;
  #connection: ServerConnection | undefined;
  #lastArrival = 0;

  connect(): void {
    const refuse = () => this.#broken("ECONNREFUSED");
    this.#later(() => {
      this.#connection = postgres().connect(this.#owner, {
        data: (bytes) => this.#later(() => void this.emit("data", bytes)),
        broken: () => this.#later(() => this.#broken("ECONNRESET")),
      });
      if (this.#connection === undefined) refuse();
      else this.emit("connect");
    });
  }

  write(bytes: Buffer, done?: () => void): boolean {
    this.#connection?.send(bytes);
    if (done) queueMicrotask(done);
    return true;
  }

  end(): void {
    this.destroy();
  }

  destroy(error?: Error): void {
    if (!this.writable) return;
    this.writable = false;
    this.#connection?.leave();
    this.#later(() => {
      if (error) this.emit("error", error);
      this.emit("close");
    });
  }

  #broken(code: string): void {
    if (!this.writable) return;
    this.destroy(Object.assign(new Error(`connection: ${code}`), { code }));
  }

  /** Runs a step of the process that has the socket, after all that came before. */
  #later(run: () => void): void {
    this.#lastArrival = Math.max(world().now + postgres().delay(), this.#lastArrival);
    world().after(this.#lastArrival - world().now, run, this.#owner);
  }

  setNoDelay(): void {}
  setKeepAlive(): void {}
  ref(): void {}
  unref(): void {}
  cork(): void {}
  uncork(): void {}
}
