/** A server that goes away while it is used. */
import { connect, createServer, type Server, type Socket } from "node:net";
import type { AddressInfo } from "node:net";
import { afterEach, expect, test } from "vitest";
import { columns, Machine, Recorder, submission } from "../../contract/engine/harness";
import { type DialectName, serverOf, startRemote } from "../harness";

/** A network between the engine and the server, which can break. */
class Network {
  readonly #sockets = new Set<Socket>();
  #server: Server | undefined;
  port = 0;

  constructor(private readonly dialect: DialectName) {}

  async up(): Promise<void> {
    const { host, port } = serverOf(this.dialect);
    this.#server = createServer((near) => {
      const far = connect(port, host);
      for (const socket of [near, far]) {
        this.#sockets.add(socket);
        socket.on("error", () => undefined).on("close", () => this.#sockets.delete(socket));
      }
      near.pipe(far).pipe(near);
    });
    await new Promise<void>((resolve) => this.#server!.listen(this.port, "127.0.0.1", resolve));
    this.port = (this.#server.address() as AddressInfo).port;
  }

  /** Breaks all connections. */
  break(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  /** Breaks all connections, and takes no new ones. */
  async down(): Promise<void> {
    const closed = new Promise((resolve) => this.#server!.close(resolve));
    this.break();
    await closed;
  }
}

/** Declares the tests. */
export function outageSuite(dialect: DialectName): void {
  const disposables: (() => Promise<unknown>)[] = [];
  afterEach(async () => {
    for (const dispose of disposables.splice(0).toReversed()) await dispose();
  });

  async function setUp() {
    const machine = new Machine();
    disposables.push(() => machine[Symbol.asyncDispose]());
    const network = new Network(dialect);
    await network.up();
    disposables.push(() => network.down());
    const start = async () => {
      const engine = await startRemote(dialect, machine, { servers: [{ host: "127.0.0.1", port: network.port }] });
      disposables.push(() => engine.close());
      return engine;
    };
    return { machine, network, start };
  }

  test("select: a connection that breaks while the server runs the statement", async () => {
    const { machine, network, start } = await setUp();
    const engine = await start();
    const table = machine.tableOf(["1\n2\n"], { columns: columns("n int") });
    const context = new Recorder();
    const running = machine.run(engine, "SELECT sum(n) FROM t", [table], { context });
    await expect.poll(() => context.jobIds, { timeout: 60_000, interval: 20 }).toHaveLength(1);
    network.break();
    expect(await running).toBe("3\n");
    expect(context.jobIds).toHaveLength(2);
    expect(context.lines.join("\n")).toMatch(/closed the connection.*: the statement is run again/);
  });

  test("engine: ends when no server answers for a while, and starts when one does", async () => {
    const { machine, network, start } = await setUp();
    const engine = await start();
    const table = machine.tableOf(["1\n"], { columns: columns("n int") });
    const query = { statement: "SELECT n FROM t", tables: [table] };
    await network.down();
    await expect(engine.checkSelect(query, submission)).rejects.toMatchObject({ code: "ServiceUnavailable" });
    expect(await engine.ended).toMatchObject({
      expected: false,
      reason: expect.stringContaining("refuses connections"),
    });
    await expect(start()).rejects.toThrow("refuses connections");
    await network.up();
    const again = await start();
    await again.checkSelect(query, submission);
  });
}
