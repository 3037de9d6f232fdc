/** Version numbers, as far as set-up needs them: dependency-free. */

/**
 * @param {string} text such as `v3.259.0`, `24.21.0` or `v3.260.0-dev.1`
 * @returns {[major: number, minor: number, patch: number] | undefined} undefined where it holds no version
 */
export function parseVersion(text) {
  const match = /^v?(\d+)\.(\d+)\.(\d+)(?:[-+][\w.+-]+)?$/.exec(text.trim());
  return match ? [Number(match[1]), Number(match[2]), Number(match[3])] : undefined;
}

/**
 * Orders versions; a pre-release counts as its release.
 *
 * @param {string} a
 * @param {string} b
 * @returns {number} negative if a is older, positive if it is newer; something that is no version is older than all
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
