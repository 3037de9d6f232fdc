/** A user with an empty home folder, whose package managers know this rehearsal's registries. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import { withPath } from "../../setup/layout.mjs";
import { sdks } from "../packages.mjs";
import { must } from "../step.mjs";

const repository = "github.com/pulumi-dag/pulumi-dag";

/**
 * @param {string} folder of the rehearsal
 * @param {{ npm: { url: string }, pypi: { url: string } } | undefined} registries undefined for those of the developer
 * @param {string} pulumi the folder of the Pulumi CLI
 */
export function makeUser(folder, registries, pulumi) {
  const home = join(folder, "home");
  mkdirSync(join(home, "state"), { recursive: true });
  if (registries) writeFileSync(join(home, ".npmrc"), `registry=${registries.npm.url}/\nupdate-notifier=false\n`);
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(npm_|DAG_|PULUMI_)/i.test(name)),
  );
  const env = withPath([dirname(process.execPath), pulumi], {
    ...inherited,
    HOME: home,
    USERPROFILE: home,
    PULUMI_HOME: join(home, ".pulumi"),
    PULUMI_BACKEND_URL: pathToFileURL(join(home, "state")).href,
    PULUMI_CONFIG_PASSPHRASE: "rehearsal",
    PULUMI_SKIP_UPDATE_CHECK: "true",
    ...(registries && { PIP_EXTRA_INDEX_URL: `${registries.pypi.url}/simple/` }),
  });
  // A folder of the project lies in the home folder, outside of any package of the clone.
  const project = (/** @type {string} */ name, /** @type {Record<string, string>} */ files) => {
    const path = join(home, name);
    mkdirSync(path, { recursive: true });
    for (const [file, text] of Object.entries(files)) writeFileSync(join(path, file), text);
    return path;
  };
  return { home, env, project };
}

/** @typedef {ReturnType<typeof makeUser>} User */

/**
 * Makes a Go proxy of files from the tags of the remote, as Go's own proxy does.
 *
 * @param {string} folder
 * @param {string} remote the bare repository
 * @param {string} version
 * @returns {Promise<NodeJS.ProcessEnv>} Go's settings for a user
 */
export async function makeGoProxy(folder, remote, version) {
  const cache = join(folder, "go-proxy");
  await must("go", ["mod", "download", "-modcacherw", `${sdks.go.module}@v${version}`], {
    cwd: folder,
    env: {
      ...process.env,
      GOMODCACHE: cache,
      GOPROXY: "direct",
      GONOSUMDB: repository,
      GOFLAGS: "",
      GIT_CONFIG_COUNT: "1",
      GIT_CONFIG_KEY_0: `url.${pathToFileURL(remote).href}.insteadOf`,
      GIT_CONFIG_VALUE_0: `https://${repository}`,
    },
  });
  const outside = (await must("go", ["env", "GOPROXY"], { cwd: folder })).trim();
  return {
    GOPROXY: `${pathToFileURL(join(cache, "cache/download")).href},${outside}`,
    GONOSUMDB: repository,
    GOFLAGS: "-mod=mod -modcacherw",
    // Only compiled packages are shared with the developer: they take minutes, and no module comes from there.
    GOCACHE: (await must("go", ["env", "GOCACHE"], { cwd: folder })).trim(),
  };
}
