/** Encoding, encryption and hash functions, and codes of characters. */
import { macro, sql } from "../../sql/fragment";
import type { Typed } from "../../tree/nodes";
import { isInteger, isInterval, isText, isVoid, typeName, types } from "../../tree/types";
import { type CallSite, scalar } from "../define";

export const encodingFunctions = [
  scalar("ascii", {
    signature: "ascii(string s)",
    doc: "returns the first UTF-8 byte as a signed number; 0 for the empty string",
    takes: ["text, number or date"],
    returns: types.int,
    emit: ([s]) => macro("hive_ascii", s),
  }),
  scalar("chr", {
    signature: "chr(bigint n)",
    doc: "uses `n` modulo 256; returns the empty string for negative numbers",
    takes: ["bigint"],
    returns: types.string,
    emit: ([n]) => sql`CASE WHEN ${n} < 0 THEN '' ELSE chr(CAST(${n} & 255 AS INTEGER)) END`,
  }),
  scalar("hex", {
    signature: "hex(bigint | string | binary)",
    doc: "encodes the characters of numbers that are not integers",
    takes: ["primitive"],
    returns: types.string,
    emit: ([x], call) => {
      if (x.type.kind === "boolean" || isInterval(x.type)) throw call.invalid(`does not accept ${typeName(x.type)}`);
      if (isInteger(x.type) || isVoid(x.type)) return sql`to_hex(${call.convert(x, types.bigint)})`;
      return sql`hex(${x.type.kind === "binary" ? x : sql`encode(${call.convert(x, types.string)})`})`;
    },
  }),
  scalar("unhex", {
    signature: "unhex(string s)",
    doc: "returns NULL if the string is not hexadecimal",
    takes: ["text, number or date"],
    returns: types.binary,
    emit: ([s]) => macro("hive_unhex", s),
  }),
  scalar("bin", {
    signature: "bin(bigint n)",
    takes: ["bigint"],
    returns: types.string,
    emit: ([n]) => sql`CASE WHEN ${n} = 0 THEN '0' ELSE ltrim(to_binary(${n}), '0') END`,
  }),
  scalar("conv", {
    signature: "conv(bigint | string number, int from, int to)",
    doc: "computes with 63 bits; fails for larger numbers, and for negative ones unless `to` is negative",
    takes: ["text, number or date", "int", "int"],
    returns: types.string,
    emit: ([n, from, to]) => sql`hive_conv(${n}, ${from}, ${to})`,
  }),
  scalar("base64", {
    signature: "base64(binary b)",
    takes: ["binary"],
    returns: types.string,
    emit: ([b]) => sql`to_base64(${b})`,
  }),
  scalar("unbase64", {
    signature: "unbase64(string s)",
    takes: ["text"],
    returns: types.binary,
    emit: ([s]) => sql`hive_unbase64(${s})`,
  }),
  scalar("encode", {
    signature: "encode(string s, 'UTF-8')",
    takes: ["any", "constant string"],
    returns: types.binary,
    emit: ([s, charset], call) => {
      if (!isText(s.type)) throw call.invalid(`expects a string, got ${typeName(s.type)}`);
      return sql`encode(${utf8(charset, call, s)})`;
    },
  }),
  scalar("decode", {
    signature: "decode(binary b, 'UTF-8')",
    takes: ["binary", "constant string"],
    returns: types.string,
    emit: ([b, charset], call) => sql`hive_decoded(${utf8(charset, call, b)})`,
  }),
  digest("md5", "md5"),
  digest("sha1 sha", "sha1"),
  scalar("sha2", {
    signature: "sha2(string | binary, int bits)",
    doc: "accepts 224, 256, 384 and 512 bits, and 0 for 256; any other number gives NULL",
    takes: ["text or binary", "constant int"],
    returns: types.string,
    emit: ([x, bits], call) => {
      if (bits.type.kind === "bigint" || isVoid(bits.type))
        throw call.invalid(`expects int as argument 2, got ${typeName(bits.type)}`);
      const size = bits.constant === 0 ? 256 : Number(bits.constant);
      if (![224, 256, 384, 512].includes(size)) return sql`CAST(NULL AS VARCHAR)`;
      return size === 256 ? sql`sha256(${bytesOf(x)})` : sql`hive_sha2(${bytesOf(x)}, CAST(${size} AS INTEGER))`;
    },
  }),
  scalar("crc32", {
    signature: "crc32(string | binary)",
    takes: ["string or binary"],
    returns: types.bigint,
    emit: ([x]) => sql`hive_crc32(${bytesOf(x)})`,
  }),
];

function digest(names: string, target: string) {
  return scalar(names, {
    signature: `${names.split(" ")[0]}(string | binary)`,
    takes: ["string or binary"],
    returns: types.string,
    emit: ([x]) => sql`${target}(${x})`,
  });
}

const bytesOf = (value: Typed) => (value.type.kind === "binary" ? value : sql`encode(${value})`);

function utf8(charset: Typed, call: CallSite, value: Typed): Typed {
  if (String(charset.constant).toUpperCase() !== "UTF-8") throw call.refused("has a character set other than UTF-8");
  return value;
}
