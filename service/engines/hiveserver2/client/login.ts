/** Logs in by SASL PLAIN, which LDAP and HiveServer2's own authentication use. */
import type { Socket } from "node:net";
import { HiveConnectionError } from "./errors";

export interface Login {
  readonly user: string;
  readonly password: string;
}

/** The status byte of a SASL message. */
const sasl = { start: 1, ok: 2, bad: 3, error: 4, complete: 5 } as const;
const headerBytes = 5;

/** Logs in on a connected socket. @throws HiveConnectionError when the server refuses the login */
export async function logIn(socket: Socket, { user, password }: Login, address: string): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  let received = Buffer.alloc(0);
  const onData = (data: Buffer) => {
    received = Buffer.concat([received, data]);
    if (received.length < headerBytes || received.length < headerBytes + received.readUInt32BE(1)) return;
    const [status] = received;
    if (status === sasl.complete) return resolve();
    const reason =
      status === sasl.bad || status === sasl.error
        ? `refuses the login of the user "${user}": correct auth in the config`
        : "does not take a login with user and password: remove auth from the config, or use SASL PLAIN in the server";
    reject(new HiveConnectionError("login", address, reason));
  };
  socket.on("data", onData);
  socket.write(message(sasl.start, Buffer.from("PLAIN")));
  socket.write(message(sasl.ok, Buffer.from(`\0${user}\0${password}`)));
  try {
    await promise;
  } finally {
    socket.off("data", onData);
  }
}

function message(status: number, body: Buffer): Buffer {
  const header = Buffer.alloc(headerBytes);
  header.writeUInt8(status, 0);
  header.writeUInt32BE(body.length, 1);
  return Buffer.concat([header, body]);
}
