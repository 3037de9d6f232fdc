/** Parses and compares version numbers, without dependencies. */

/**
 * @param {string} text such as `v3.259.0`, `24.21.0` or `v3.260.0-dev.1`
 * @returns {[major: number, minor: number, patch: number] | undefined} undefined when it is not a version
 */
export function parseVersion(text) {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+][\w.+-]+)?$/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/**
 * Compares two versions; a pre-release equals its release.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number} negative when a is older, positive when a is newer; text that is not a version is the oldest
 */
export function compareVersions(a, b) {
  const left = parseVersion(a) ?? [-1, 0, 0];
  const right = parseVersion(b) ?? [-1, 0, 0];
  return left[0] - right[0] || left[1] - right[1] || left[2] - right[2];
}

/**
 * @param {string} version
 * @param {string} minimum
 */
export function isAtLeast(version, minimum) {
  return parseVersion(version) !== undefined && compareVersions(version, minimum) >= 0;
}
