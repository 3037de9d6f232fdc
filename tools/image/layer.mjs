/** A layer of an image: a compressed tar that is the same, byte for byte, for the same files. */
import { createHash } from "node:crypto";
import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { must } from "../release/step.mjs";

/**
 * @typedef {object} Part files of a layer that have one owner
 * @property {string} folder
 * @property {string[]} [names] in the folder; all by default
 * @property {number} [owner] root by default
 * @property {string} [mode] of chmod; what is executable stays so by default, and only its owner may write
 */

/** @typedef {{ mediaType: string, digest: string, size: number }} Descriptor */

/** A digest as registries write it. @param {Uint8Array} content */
export const digestOf = (content) => `sha256:${createHash("sha256").update(content).digest("hex")}`;

/**
 * Writes a blob into an image's folder.
 *
 * @param {string} layout
 * @param {string} mediaType
 * @param {Uint8Array} content
 * @returns {Descriptor}
 */
export function writeBlob(layout, mediaType, content) {
  const digest = digestOf(content);
  writeFileSync(join(layout, "blobs", digest.replace(":", "/")), content);
  return { mediaType, digest, size: content.length };
}

/**
 * Writes a layer into an image's folder.
 *
 * @param {string} layout
 * @param {readonly Part[]} parts
 * @returns {Promise<{ descriptor: Descriptor, diffId: string }>} the digests of the compressed and of the plain tar
 */
export async function writeLayer(layout, parts) {
  const file = join(layout, "layer.tar");
  rmSync(file, { force: true });
  for (const part of parts) await append(file, part);
  const plain = readFileSync(file);
  rmSync(file);
  const mediaType = "application/vnd.oci.image.layer.v1.tar+gzip";
  return { descriptor: writeBlob(layout, mediaType, gzipSync(plain)), diffId: digestOf(plain) };
}

/**
 * @param {string} file
 * @param {Part} part
 */
async function append(file, { folder, names = ["."], owner = 0, mode = "u+rw,go+r,go-w,a-st,a+X" }) {
  const order = ["--sort=name", "--mtime=@0", "--format=gnu", "--hard-dereference"];
  const owned = ["--numeric-owner", `--owner=${owner}`, `--group=${owner}`, `--mode=${mode}`];
  await must("tar", ["--append", "--file", file, ...order, ...owned, "-C", folder, ...names]);
}
