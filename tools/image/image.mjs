/** An OCI image of dag-service, made without a daemon and without root: a tar that podman, docker and skopeo take. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { releaseVersion } from "../release/packages.mjs";
import { must } from "../release/step.mjs";
import { readJson } from "../setup/layout.mjs";
import { user, writeDebian } from "./debian.mjs";
import { writeBlob, writeLayer } from "./layer.mjs";
import { configFile, program, writeDependencies, writeNode, writeService } from "./program.mjs";

const manifestType = "application/vnd.oci.image.manifest.v1+json";

/** The architecture of this machine, in the words of images. */
const architecture = process.arch === "x64" ? "amd64" : process.arch;

/** The file name of the image of this version for this machine. */
export const imageName = `dag-service-${releaseVersion()}-linux-${architecture}.oci.tar`;

/**
 * Makes the image.
 *
 * @param {string} file where to write it
 * @param {{ tag?: string, created?: string }} [options] its name and tag, `dag-service:<version>` by default; and the time
 *   that it has, the one of the last commit by default
 * @returns {Promise<string>} the digest of its manifest
 */
export async function writeImage(file, { tag = `dag-service:${releaseVersion()}`, created } = {}) {
  const work = mkdtempSync(join(tmpdir(), "pulumi-dag-image-"));
  try {
    const layout = join(work, "layout");
    mkdirSync(join(layout, "blobs/sha256"), { recursive: true });
    const { layers, base } = await writeLayers(work, layout);
    const image = configOf(layers, created ?? (await timeOfCommit()), base);
    const config = writeBlob(layout, "application/vnd.oci.image.config.v1+json", json(image));
    const manifest = writeBlob(
      layout,
      manifestType,
      json({ schemaVersion: 2, mediaType: manifestType, config, layers: layers.map((each) => each.descriptor) }),
    );
    writeIndex(layout, { manifest, config, layers }, tag);
    mkdirSync(dirname(file), { recursive: true });
    const fixed = ["--sort=name", "--mtime=@0", "--format=gnu", "--numeric-owner", "--owner=0", "--group=0"];
    await must("tar", ["--create", "--file", file, ...fixed, "--mode=u=rwX,go=rX", "-C", layout, "."]);
    return manifest.digest;
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** @typedef {Awaited<ReturnType<typeof writeLayer>> & { made: string }} Layer */

/**
 * Writes the layers, the one that changes least first, so that an upgrade transfers only the last.
 *
 * @param {string} work
 * @param {string} layout
 * @returns {Promise<{ layers: Layer[], base: string }>}
 */
async function writeLayers(work, layout) {
  const folderOf = (/** @type {string} */ name) => {
    const folder = join(work, name);
    mkdirSync(folder);
    return folder;
  };
  const debian = folderOf("debian");
  const base = await writeDebian(debian);
  const node = folderOf("node");
  writeNode(node);
  const dependencies = folderOf("dependencies");
  writeDependencies(dependencies);
  const service = folderOf("service");
  await writeService(service);
  const places = folderOf("places");
  for (const name of ["tmp", "data"]) mkdirSync(join(places, name));
  return {
    base,
    layers: [
      {
        ...(await writeLayer(layout, [
          { folder: debian },
          { folder: places, names: ["tmp"], mode: "1777" },
          { folder: places, names: ["data"], owner: user, mode: "0700" },
        ])),
        made: `packages of ${base}, /tmp and /data`,
      },
      { ...(await writeLayer(layout, [{ folder: node }])), made: `Node.js ${process.versions.node}` },
      { ...(await writeLayer(layout, [{ folder: dependencies }])), made: "packages that dag-service needs" },
      { ...(await writeLayer(layout, [{ folder: service }])), made: `dag-service ${releaseVersion()}` },
    ],
  };
}

/**
 * @param {readonly Layer[]} layers
 * @param {string} created
 * @param {string} base
 */
function configOf(layers, created, base) {
  const { description, license, homepage } = readJson("service/package.json");
  return {
    created,
    architecture,
    os: "linux",
    config: {
      User: `${user}:${user}`,
      WorkingDir: "/data",
      Entrypoint: [program],
      Env: ["PATH=/usr/local/bin", "HOME=/data", `DAG_SERVICE_CONFIG=${configFile}`],
      ExposedPorts: { "9393/tcp": {} },
      Volumes: { "/data": {} },
      StopSignal: "SIGTERM",
      Labels: {
        "org.opencontainers.image.title": "dag-service",
        "org.opencontainers.image.description": description,
        "org.opencontainers.image.version": releaseVersion(),
        "org.opencontainers.image.licenses": license,
        "org.opencontainers.image.url": homepage,
        "org.opencontainers.image.base.name": base,
      },
    },
    rootfs: { type: "layers", diff_ids: layers.map(({ diffId }) => diffId) },
    history: layers.map(({ made }) => ({ created, created_by: "npm run image", comment: made })),
  };
}

/**
 * Writes the entry of the layout, and the one that versions of docker before 25 read.
 *
 * @param {string} layout
 * @param {{ manifest: import("./layer.mjs").Descriptor, config: import("./layer.mjs").Descriptor, layers: readonly Layer[] }} image
 * @param {string} tag
 */
function writeIndex(layout, { manifest, config, layers }, tag) {
  const [, version = "latest"] = /:([^:/]+)$/.exec(tag) ?? [];
  const annotations = {
    "org.opencontainers.image.ref.name": version,
    "io.containerd.image.name": fullName(tag),
  };
  const platform = { architecture, os: "linux" };
  const index = {
    schemaVersion: 2,
    mediaType: "application/vnd.oci.image.index.v1+json",
    manifests: [{ ...manifest, platform, annotations }],
  };
  const blob = (/** @type {{ digest: string }} */ { digest }) => `blobs/${digest.replace(":", "/")}`;
  const forDocker = [
    { Config: blob(config), RepoTags: [tag], Layers: layers.map(({ descriptor }) => blob(descriptor)) },
  ];
  writeFileSync(join(layout, "oci-layout"), json({ imageLayoutVersion: "1.0.0" }));
  writeFileSync(join(layout, "index.json"), json(index));
  writeFileSync(join(layout, "manifest.json"), json(forDocker));
}

/**
 * @param {string} tag such as `dag-service:1.0.0` or `registry.example.com/dag-service:1.0.0`
 * @returns {string} the name with its registry, which is Docker's where the tag names none
 */
function fullName(tag) {
  const [first = "", ...rest] = tag.split("/");
  if (rest.length === 0) return `docker.io/library/${tag}`;
  return /[.:]|^localhost$/.test(first) ? tag : `docker.io/${tag}`;
}

/** @param {unknown} value */
const json = (value) => Buffer.from(JSON.stringify(value));

/** @returns {Promise<string>} */
async function timeOfCommit() {
  const seconds = process.env["SOURCE_DATE_EPOCH"] ?? (await must("git", ["log", "-1", "--format=%ct"])).trim();
  return new Date(Number(seconds) * 1000).toISOString();
}
