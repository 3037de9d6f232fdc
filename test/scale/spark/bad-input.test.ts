import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { FileStorage } from "../../../storage/file";
import { Machine } from "../../contract/engine/harness";
import { serverOf, startRemote } from "../harness";

test("start: a server of another dialect is refused, with the remedy", async () => {
  await using machine = new Machine();
  const started = startRemote("spark", machine, { dialect: "hive" });
  await expect(started).rejects.toThrow(
    `${inject("spark")} is "Spark SQL 4.3.0" and not Hive: correct dialect or urls in the config`,
  );
});

test("start: a login that the server does not take is refused, with the remedy", async () => {
  await using machine = new Machine();
  const servers = [{ ...serverOf("spark"), login: { user: "u", password: "hunter2" } }];
  const started = startRemote("spark", machine, { servers });
  await expect(started).rejects.toThrow(/auth in the config|auth from the config|auth and tls in the config/);
  await expect(started).rejects.not.toThrow(/hunter2/);
});

test("start: a server without TLS is refused, with the remedy", async () => {
  await using machine = new Machine();
  const servers = [{ ...serverOf("spark"), tls: {} }];
  await expect(startRemote("spark", machine, { servers })).rejects.toThrow(
    /check urls and tls in the config|check tls in the config|remove tls from the config/,
  );
});

test("start: a folder whose path is a pattern for Spark is refused", async () => {
  const folder = mkdtempSync(join(tmpdir(), "engine-[a]-"));
  await using machine = new Machine();
  const started = startRemote("spark", machine, { storage: new FileStorage(folder) });
  await expect(started).rejects.toThrow(/has a character that Spark takes for a pattern/);
  rmSync(folder, { recursive: true });
});
