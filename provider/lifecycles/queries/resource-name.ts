/** The name of a resource in messages, and what makes its query run again. */

/** Returns a resource for messages, such as `SelectQuery "daily"`. */
export function nameOf(urn: string): string {
  const [, , type = "", ...name] = urn.split("::");
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name.join("::")}"`;
}

/**
 * Returns what a user does to run the query of a resource again. With the plugin, `--replace` makes the new resource
 * before it deletes the old one, whose table then exists: only a change of `triggers` makes a table again in each front end.
 */
export function rerunStep(urn: string): string {
  return nameOf(urn).startsWith("SplitTable ") ? 'change "triggers"' : `run "pulumi up --replace '${urn}'"`;
}
