/** Messages of PostgreSQL's protocol, as far as the simulation makes and reads them. */

export interface Message {
  readonly type: string;
  /** The whole message. */
  readonly bytes: Buffer;
}

/** The last byte of ReadyForQuery outside a transaction. */
export const ready = { idle: "I".charCodeAt(0) } as const;

/** Returns the complete messages at the beginning of bytes. */
export function messagesIn(bytes: Buffer): Message[] {
  const found: Message[] = [];
  for (let at = 0; at + 5 <= bytes.length;) {
    const end = at + 1 + bytes.readInt32BE(at + 1);
    if (end > bytes.length) break;
    found.push({ type: String.fromCharCode(bytes[at]!), bytes: bytes.subarray(at, end) });
    at = end;
  }
  return found;
}

function message(type: string, content: Buffer): Buffer {
  const header = Buffer.alloc(5);
  header.write(type, 0, "latin1");
  header.writeInt32BE(content.length + 4, 1);
  return Buffer.concat([header, content]);
}

/** Returns the message of a statement without values. */
export function batch(sql: string): Buffer {
  return message("Q", Buffer.from(`${sql}\0`));
}

/** Returns the message of a statement that fails. @param code SQLSTATE */
export function errorMessage(code: string): Buffer {
  return batch(`DO $$ BEGIN RAISE EXCEPTION 'simulated' USING ERRCODE = '${code}'; END $$`);
}

/** The answer to a client that connects: it needs no password. */
export const welcome = Buffer.concat([
  message("R", Buffer.alloc(4)),
  message("S", Buffer.from("client_encoding\0UTF8\0")),
  message("K", Buffer.alloc(8)),
  message("Z", Buffer.from("I")),
]);

/** Returns the rows of a statement that answers with one list as JSON. */
export function rowsIn<Row>(answers: readonly Message[]): Row[] {
  const row = answers.find(({ type }) => type === "D");
  if (row === undefined) throw new Error(`no rows: ${answers.map(({ bytes }) => bytes.toString("latin1")).join(" ")}`);
  // The type, two lengths, and the number of columns.
  const length = row.bytes.readInt32BE(7);
  return length === -1 ? [] : (JSON.parse(row.bytes.subarray(11, 11 + length).toString()) as Row[]);
}
