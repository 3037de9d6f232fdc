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
  return isTable(urn) ? 'change "triggers"' : `run "pulumi up --replace '${urn}'"`;
}

/** Returns true for a resource that makes a table, which no query makes again while its objects exist. */
export function isTable(urn: string): boolean {
  return nameOf(urn).startsWith("SplitTable ");
}

/** Returns what a user does about a table that has other objects than its query published. @param folder as it is shown */
export function changedTableRemedy(queryId: number, folder: string): string {
  return (
    `Put back what query ${queryId} wrote and move the rest away, set another outputTable, or delete all objects in ${folder} and ` +
    'run "pulumi up --refresh", which makes the table again'
  );
}
