/**
 * Loaded before Pulumi's SDK by the processes of programs and providers. The SDK loads npm's Arborist and TypeScript at
 * its start, which is a fifth of a refresh's CPU time and a third of an `up`'s, and uses them only for functions that a
 * program passes to the cloud. Here they are loaded when they are used.
 */
/** @type {any} `_load` is not documented, and has not changed in ten years. */
const Module = require("node:module");

const lazy = new Set(["@npmcli/arborist", "typescript"]);
const load = Module._load;

/**
 * @param {string} request
 * @param {{ readonly filename?: string } | undefined} parent
 * @param {unknown[]} rest
 */
Module._load = function (request, parent, ...rest) {
  const isOfSdk = /[\\/]@pulumi[\\/]pulumi[\\/]/.test(parent?.filename ?? "");
  if (!lazy.has(request) || !isOfSdk) return load.call(this, request, parent, ...rest);
  /** @type {any} */
  let loaded;
  const real = () => (loaded ??= load.call(this, request, parent, ...rest));
  return new Proxy(
    {},
    {
      // As an ES module, so that an import of all its names does not ask for them.
      get: (_, name) => (name === "__esModule" ? true : name === "default" ? real() : real()[name]),
      has: (_, name) => name in real(),
    },
  );
};
