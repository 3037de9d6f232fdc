/** The lowest layer of the image: the few Debian packages that Node.js and DuckDB need, without a shell. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ReleaseError, must } from "../release/step.mjs";

/** C and C++ libraries, the system's name and the certificates of public authorities. */
const packages = ["base-files", "ca-certificates", "libc6", "libgcc-s1", "libstdc++6"];

/** The user that the service runs as: its number, because a container's user has no other meaning on the host. */
export const user = 65532;

/** Why this machine cannot make the image, or undefined when it can. @returns {string | undefined} */
export function whyNoDebian() {
  if (process.platform !== "linux") return `the image is made on Linux, and this is ${process.platform}`;
  try {
    execFileSync("apt-cache", ["show", "--quiet", "--no-all-versions", ...packages], { stdio: "ignore" });
    execFileSync("dpkg-deb", ["--version"], { stdio: "ignore" });
    return undefined;
  } catch {
    return "the image is made of Debian packages: use Debian or Ubuntu, and run `apt-get update` first";
  }
}

/**
 * Writes the files of the packages, the user and an empty /etc of ours. apt verifies what it fetches.
 *
 * @param {string} into
 * @returns {Promise<string>} what the packages are of, such as `Debian GNU/Linux 12 (bookworm)`
 */
export async function writeDebian(into) {
  const reason = whyNoDebian();
  if (reason !== undefined) throw new ReleaseError(reason);
  const fetched = mkdtempSync(join(tmpdir(), "pulumi-dag-debian-"));
  try {
    await must("apt-get", ["download", "--quiet", ...packages], { cwd: fetched });
    const libgcc = readdirSync(fetched).find((file) => file.startsWith("libgcc-s1_")) ?? "";
    // The libraries' licences are in the package of their compiler's version.
    const [compiler = ""] = /gcc-\d+-base/.exec(await must("dpkg-deb", ["--field", join(fetched, libgcc)])) ?? [];
    await must("apt-get", ["download", "--quiet", compiler], { cwd: fetched });
    for (const file of readdirSync(fetched).toSorted()) await unpack(join(fetched, file), into);
  } finally {
    rmSync(fetched, { recursive: true, force: true });
  }
  writeCertificates(into);
  write(into, "etc/passwd", `root:x:0:0:root:/:/sbin/nologin\ndag:x:${user}:${user}:dag-service:/data:/sbin/nologin\n`);
  write(into, "etc/group", `root:x:0:\ndag:x:${user}:\n`);
  const [, name = "Debian"] =
    /^PRETTY_NAME="(.*)"$/m.exec(readFileSync(join(into, "usr/lib/os-release"), "utf8")) ?? [];
  return name;
}

/**
 * Unpacks a package and notes its version where scanners of images look for it.
 *
 * @param {string} file
 * @param {string} into
 */
async function unpack(file, into) {
  await must("dpkg-deb", ["--extract", file, into]);
  const fields = await must("dpkg-deb", ["--field", file]);
  const [, name = ""] = /^Package: (.*)$/m.exec(fields) ?? [];
  write(into, `var/lib/dpkg/status.d/${name}`, `${fields.trimEnd()}\n`);
}

/**
 * Writes the one file that programs read, which Debian makes when ca-certificates is configured.
 *
 * @param {string} into
 */
function writeCertificates(into) {
  const folder = join(into, "usr/share/ca-certificates/mozilla");
  const certificates = readdirSync(folder)
    .toSorted()
    .map((file) => readFileSync(join(folder, file), "utf8").trimEnd());
  write(into, "etc/ssl/certs/ca-certificates.crt", `${certificates.join("\n")}\n`);
}

/**
 * @param {string} into
 * @param {string} path
 * @param {string} text
 */
function write(into, path, text) {
  mkdirSync(join(into, path, ".."), { recursive: true });
  writeFileSync(join(into, path), text);
}
