/**
 * Makes the files of a new stack without the CLI: `pulumi stack init` and `pulumi config set` would take as long as the
 * deployments of most tests.
 */
import { createCipheriv, pbkdf2, randomBytes } from "node:crypto";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { type LocalWorkspace, Stack } from "@pulumi/pulumi/automation";
import { passphrase } from "./pulumi-cli";

const salt = randomBytes(8);
let key: Promise<Buffer> | undefined;

/** Returns a text as the CLI encrypts it with the tests' passphrase, and the salt that the CLI needs to read it. */
export async function encrypted(text: string): Promise<{ readonly encryptionSalt: string; readonly secret: string }> {
  key ??= promisify(pbkdf2)(passphrase, salt, 1_000_000, 32, "sha256");
  const secretKey = await key;
  const encrypt = (plain: string) => {
    const nonce = randomBytes(12);
    const cipher = createCipheriv("aes-256-gcm", secretKey, nonce);
    const sealed = Buffer.concat([cipher.update(plain, "utf8"), cipher.final(), cipher.getAuthTag()]);
    return `v1:${nonce.toString("base64")}:${sealed.toString("base64")}`;
  };
  // The CLI checks a passphrase with this word.
  return { encryptionSalt: `v1:${salt.toString("base64")}:${encrypt("pulumi")}`, secret: encrypt(text) };
}

/** Creates the stack `dev` of the project `e2e` without resources, in a folder's state. */
export async function createStack(directory: string, workspace: LocalWorkspace): Promise<Stack> {
  const stacks = join(directory, "state/.pulumi/stacks/e2e");
  mkdirSync(stacks, { recursive: true });
  writeFileSync(join(directory, "state/.pulumi/meta.yaml"), "version: 1\n");
  writeFileSync(
    join(stacks, "dev.json"),
    JSON.stringify({ version: 3, checkpoint: { stack: "organization/e2e/dev" } }),
  );
  Object.assign(workspace, { createStack: async () => {} });
  return Stack.create("dev", workspace);
}
