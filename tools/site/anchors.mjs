/** The anchors of a page: the same on the site as on the repository's pages. */

/**
 * Returns the anchor of a heading, as GitHub makes it.
 *
 * @param {string} heading without its `#`
 */
export function anchorOf(heading) {
  return heading
    .trim()
    .toLowerCase()
    .replace(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replace(/[^\p{L}\p{M}\p{N}\p{Pc}\- ]/gu, "")
    .replaceAll(" ", "-");
}

/**
 * Returns the anchors of a page. A heading that was there before gets a number.
 *
 * @param {string} markdown
 * @returns {Set<string>}
 */
export function anchorsOf(markdown) {
  /** @type {Map<string, number>} */
  const counts = new Map();
  const anchors = new Set();
  for (const [, heading = ""] of markdown.replace(/^(```|~~~)[^]*?^\1/gm, "").matchAll(/^#{1,6} +(.+?)(?: +#+)?$/gm)) {
    const anchor = anchorOf(heading);
    const count = counts.get(anchor) ?? 0;
    counts.set(anchor, count + 1);
    anchors.add(count === 0 ? anchor : `${anchor}-${count}`);
  }
  for (const [, id = ""] of markdown.matchAll(/<a (?:id|name)="([^"]+)"/g)) anchors.add(id);
  return anchors;
}
