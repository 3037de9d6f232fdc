import { existsSync, readdirSync } from "node:fs";
import {
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  rename,
  rm,
  stat,
  symlink,
  utimes,
  writeFile,
} from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Readable } from "node:stream";
import { text } from "node:stream/consumers";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { errors, type Location } from "../../../contract";
import { FileStorage } from "../../../storage";

let base: string;
let root: string;
let outside: string;
let storage: FileStorage;
const at = (key: string): Location => ({ bucket: "bucket", key });
const inBucket = (path: string) => join(root, "bucket", path);

beforeEach(async () => {
  base = await mkdtemp(join(tmpdir(), "dag-file-"));
  [root, outside] = [join(base, "root"), join(base, "outside")];
  await mkdir(join(root, "bucket", "folder"), { recursive: true });
  await mkdir(outside);
  await writeFile(join(outside, "secret"), "secret");
  await writeFile(inBucket("folder/object"), "content");
  storage = new FileStorage(root);
});
afterEach(() => rm(base, { recursive: true }));

async function keys(folder: string): Promise<string[]> {
  const found: string[] = [];
  for await (const { location } of storage.list(at(folder))) found.push(location.key);
  return found;
}

describe("path", () => {
  it("is below the directory, and absolute", () => {
    expect(storage.path(at("folder/object"))).toBe(inBucket("folder/object"));
    expect(storage.path(at(""))).toBe(join(root, "bucket", ""));
    expect(new FileStorage(".").path(at("a"))).toBe(join(process.cwd(), "bucket", "a"));
    expect(storage.description).toBe(`file:${root}`);
  });

  it.each(["../x", "a/../../x", "/etc/passwd", "a//b", "a\0b"])("%j is refused", (key) => {
    expect(() => storage.path(at(key))).toThrow(errors.StorageAccessError);
  });
});

describe("symbolic links to a target outside the directory", () => {
  const refused = {
    code: "StorageAccessError",
    message: expect.stringMatching(/^dag:\/\/.* cannot be accessed: a symbolic link in it points outside/),
  };

  it("of an object: are rejected", async () => {
    await symlink(join(outside, "secret"), inBucket("link"));
    await expect(storage.head(at("link"))).rejects.toMatchObject(refused);
    await expect(storage.read(at("link"))).rejects.toMatchObject(refused);
    await expect(keys("")).rejects.toMatchObject(refused);
  });

  it("of a folder: are rejected, and nothing is created or deleted in their target", async () => {
    await symlink(outside, inBucket("link"));
    await expect(storage.head(at("link/secret"))).rejects.toMatchObject(refused);
    await expect(storage.read(at("link/secret"))).rejects.toMatchObject(refused);
    await expect(storage.write(at("link/new"), "x")).rejects.toMatchObject(refused);
    await expect(storage.write(at("link/deep/new"), "x")).rejects.toMatchObject(refused);
    await expect(storage.delete(at("link/secret"))).rejects.toMatchObject(refused);
    await expect(storage.deleteFolder(at("link/deep/"))).rejects.toMatchObject(refused);
    await expect(keys("link/")).rejects.toMatchObject(refused);
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  it("of a bucket: are rejected", async () => {
    await symlink(outside, join(root, "linked"));
    await expect(storage.bucketExists("linked")).rejects.toMatchObject(refused);
    await expect(storage.read({ bucket: "linked", key: "secret" })).rejects.toMatchObject(refused);
    await expect(storage.deleteFolder({ bucket: "linked", key: "" })).rejects.toMatchObject(refused);
    expect(await readdir(outside)).toEqual(["secret"]);
  });

  it("are replaced and removed, not followed, by write, delete and deleteFolder", async () => {
    await symlink(join(outside, "secret"), inBucket("link"));
    await storage.write(at("link"), "mine");
    expect((await lstat(inBucket("link"))).isFile()).toBe(true);
    await symlink(join(outside, "secret"), inBucket("other"));
    await storage.delete(at("other"));
    await symlink(outside, inBucket("folder/linked"));
    await storage.deleteFolder(at("folder/linked/"));
    await symlink(outside, inBucket("folder/linked"));
    await storage.deleteFolder(at("folder/"));
    expect(await keys("")).toEqual(["link"]);
    expect(await readFile(join(outside, "secret"), "utf8")).toBe("secret");
  });
});

describe("symbolic links to a target inside the directory", () => {
  it("are followed", async () => {
    await symlink(inBucket("folder/object"), inBucket("to-object"));
    await symlink("folder", inBucket("to-folder"));
    expect(await keys("")).toEqual(["folder/object", "to-folder/object", "to-object"]);
    expect(await text(await storage.read(at("to-folder/object")))).toBe("content");
    expect(await storage.head(at("to-object"))).toMatchObject({ size: 7 });
  });

  it("the directory itself may be a symbolic link", async () => {
    await symlink(root, join(base, "linked"));
    const linked = new FileStorage(join(base, "linked"));
    await linked.write(at("new"), "x");
    expect(await text(await linked.read(at("new")))).toBe("x");
    // Moved to another disk, and the link with it.
    await rename(root, join(base, "moved"));
    await rm(join(base, "linked"));
    await symlink(join(base, "moved"), join(base, "linked"));
    expect(await text(await linked.read(at("new")))).toBe("x");
    await mkdir(join(root, "bucket"), { recursive: true });
    await symlink(root, join(base, "moved", "bucket", "back"));
    await expect(linked.head(at("back/bucket"))).rejects.toMatchObject({ code: "StorageAccessError" });
  });

  it("with a missing target are not objects", async () => {
    await symlink("nowhere", inBucket("dangling"));
    expect(await keys("")).toEqual(["folder/object"]);
    expect(await storage.head(at("dangling"))).toBeUndefined();
    await expect(storage.read(at("dangling"))).rejects.toBeInstanceOf(errors.InputObjectNotFound);
  });

  it("list: rejects links that form a cycle", async () => {
    await mkdir(inBucket("other"));
    await symlink("../other", inBucket("folder/a"));
    await symlink("../folder", inBucket("other/b"));
    await expect(keys("")).rejects.toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("points to one of its parent folders"),
    });
    await symlink("self", inBucket("self"));
    await expect(storage.read(at("self"))).rejects.toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("ELOOP"),
    });
  });
});

describe("files that are not objects", () => {
  it("list and read: skip sockets and other special files", async () => {
    const server = createServer().listen(inBucket("socket"));
    await new Promise((resolve) => server.once("listening", resolve));
    expect(await keys("")).toEqual(["folder/object"]);
    await expect(storage.read(at("socket"))).rejects.toBeInstanceOf(errors.InputObjectNotFound);
    await new Promise((resolve) => server.close(resolve));
  });

  it("list: reports a file whose name is not a valid key", async () => {
    await writeFile(inBucket("back\\slash"), "");
    await expect(keys("")).rejects.toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("back\\slash"),
    });
  });

  it("list: reports a file whose name is not UTF-8", async () => {
    await writeFile(Buffer.concat([Buffer.from(inBucket("bad")), Buffer.of(0xff)]), "");
    await expect(keys("")).rejects.toMatchObject({ message: expect.stringContaining("not UTF-8; rename the file") });
  });

  it("write: fails when the path is a folder or is inside an object", async () => {
    await expect(storage.write(at("folder"), "x")).rejects.toMatchObject({
      code: "StorageAccessError",
      message: expect.stringContaining("EISDIR"),
    });
    await expect(storage.write(at("folder/object/below"), "x")).rejects.toMatchObject({ code: "StorageAccessError" });
    expect(await keys("")).toEqual(["folder/object"]);
  });
});

describe("partially written objects", () => {
  it("are stored outside the buckets and removed when they are a day old", async () => {
    const uploads = join(root, ".uploads");
    await mkdir(uploads);
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    for (const name of ["old", "young"]) await writeFile(join(uploads, name), "half");
    await utimes(join(uploads, "old"), yesterday, yesterday);
    await storage.write(at("new"), "x");
    expect(await readdir(uploads)).toEqual(["young"]);
    expect(await storage.bucketExists(".uploads").catch((error: Error) => error)).toBeInstanceOf(
      errors.StorageAccessError,
    );
  });

  it("leave no folder behind when their body breaks off", async () => {
    const broken = Readable.from(
      (async function* () {
        yield "half";
        throw new Error("the source broke");
      })(),
    );
    await expect(storage.write(at("new/inner/object"), broken)).rejects.toThrow("the source broke");
    expect(await readdir(inBucket(""))).toEqual(["folder"]);
    await storage.write(at("new/inner/object"), "x");
    expect(await keys("")).toEqual(["folder/object", "new/inner/object"]);
  });
});

describe("a missing directory", () => {
  it.each<[string, (missing: FileStorage) => Promise<unknown>]>([
    ["write", (missing) => missing.write(at("a"), "x")],
    ["read", (missing) => missing.read(at("a"))],
    ["delete", (missing) => missing.delete(at("a"))],
    ["list", (missing) => missing.list(at("a/")).next()],
  ])("%s: is StorageAccessError, without the path of this machine", async (_, call) => {
    const error = (await call(new FileStorage(join(base, "missing"))).catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(errors.StorageAccessError);
    expect(error.message).not.toContain(base);
  });
});

describe("an unreadable directory", () => {
  it("is a StorageAccessError with the system's message, without the local path", async () => {
    await rm(root, { recursive: true });
    await writeFile(root, "a file");
    await symlink(root, join(base, "loop-a"));
    const error = (await storage.write(at("x"), "x").catch((reason: unknown) => reason)) as Error;
    expect(error).toBeInstanceOf(errors.StorageAccessError);
    expect(error.message).not.toContain(base);
  });
});

describe("deleteFolder", () => {
  it("deletes a folder in one step: nobody sees a part of its objects, also when it is killed", async () => {
    const count = 500;
    await mkdir(inBucket("many"));
    for (let n = 0; n < count; n += 1) await writeFile(inBucket(`many/${n}`), "");
    const seen = new Set<number>();
    const ended = new AbortController();
    const deletion = storage.deleteFolder(at("many/")).finally(() => ended.abort());
    while (!ended.signal.aborted) {
      seen.add(existsSync(inBucket("many")) ? readdirSync(inBucket("many")).length : 0);
      await new Promise((resolve) => setImmediate(resolve));
    }
    await deletion;
    expect([...seen].filter((found) => found !== 0 && found !== count)).toEqual([]);
    expect(existsSync(inBucket("many"))).toBe(false);
    expect(await readdir(join(root, ".uploads"))).toEqual([]);
  });

  it("deletes what is in a folder that cannot be moved", async () => {
    await writeFile(join(root, ".uploads"), "no folder");
    await storage.deleteFolder(at("folder/"));
    expect(await readdir(inBucket(""))).toEqual([]);
  });
});

describe("removeLeftovers", () => {
  it("removes what a killed deletion has moved away", async () => {
    await mkdir(join(root, ".uploads/moved/inner"), { recursive: true });
    await writeFile(join(root, ".uploads/moved/inner/object"), "content");
    await storage.removeLeftovers(Date.now() + 1000);
    expect(await readdir(join(root, ".uploads"))).toEqual([]);
  });

  it("removes the old files of .uploads/, of the directory and of each bucket, and nothing else", async () => {
    const yesterday = new Date(Date.now() - 25 * 3_600_000);
    await mkdir(join(root, ".uploads"));
    await mkdir(inBucket(".uploads"));
    for (const folder of [join(root, ".uploads"), inBucket(".uploads"), inBucket("folder")]) {
      for (const name of ["old", "young"]) await writeFile(join(folder, name), "half");
      await utimes(join(folder, "old"), yesterday, yesterday);
    }
    await storage.removeLeftovers(Date.now() - 24 * 3_600_000);
    expect(await readdir(join(root, ".uploads"))).toEqual(["young"]);
    expect(await readdir(inBucket(".uploads"))).toEqual(["young"]);
    expect(await readdir(inBucket("folder"))).toEqual(["object", "old", "young"]);
    await storage.removeLeftovers(Date.now() + 1000);
    expect(await readdir(inBucket(""))).toEqual(["folder"]);
  });

  it("does nothing in a directory that does not exist", async () => {
    await expect(new FileStorage(join(base, "none")).removeLeftovers(Date.now())).resolves.toBeUndefined();
  });
});

describe("write to a bucket on another file system", () => {
  const memory = "/dev/shm";

  it.skipIf(!existsSync(memory))("writes the object whole and leaves no temporary object", async () => {
    const uploads = await mkdtemp(join(memory, "dag-uploads-"));
    try {
      expect((await stat(uploads)).dev).not.toBe((await stat(root)).dev);
      await symlink(uploads, join(root, ".uploads"));
      await storage.write(at("logs/engine.log"), "new");
      expect(await text(await storage.read(at("logs/engine.log")))).toBe("new");
      expect(await keys("")).toEqual(["folder/object", "logs/engine.log"]);
      expect(await readdir(uploads)).toEqual([]);
      expect(await readdir(inBucket(""))).toEqual(["folder", "logs"]);
    } finally {
      await rm(uploads, { recursive: true });
    }
  });

  it.skipIf(!existsSync(memory))("writes many objects at once, of several writers", async () => {
    const uploads = await mkdtemp(join(memory, "dag-uploads-"));
    try {
      await symlink(uploads, join(root, ".uploads"));
      const writers = Array.from({ length: 8 }, () => new FileStorage(root));
      const names = Array.from({ length: 400 }, (_, index) => `many/${String(index).padStart(3, "0")}`);
      // One after another for each writer, so that the folder of the copies is made and removed all the time.
      const writeOwn = async (writer: FileStorage, own: number) => {
        for (const name of names.filter((_, index) => index % writers.length === own))
          await writer.write(at(name), name);
      };
      await Promise.all(writers.map(writeOwn));
      expect(await keys("many/")).toEqual(names);
      expect(await text(await storage.read(at("many/399")))).toBe("many/399");
      expect(await readdir(inBucket(""))).toEqual(["folder", "many"]);
    } finally {
      await rm(uploads, { recursive: true });
    }
  });
});
