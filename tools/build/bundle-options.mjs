/** What every bundle of the build shares. */

/** @type {Pick<import("esbuild").BuildOptions, "bundle" | "format" | "platform" | "target" | "minifyWhitespace" | "legalComments" | "logLevel">} */
export const bundleOptions = {
  bundle: true,
  format: "cjs",
  platform: "node",
  target: "node22",
  minifyWhitespace: true,
  legalComments: "eof",
  logLevel: "warning",
};
