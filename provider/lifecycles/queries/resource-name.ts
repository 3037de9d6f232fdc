/** The name of a resource in messages. */

/** Returns a resource for messages, such as `SelectQuery "daily"`. */
export function nameOf(urn: string): string {
  const [, , type = "", ...name] = urn.split("::");
  return `${type.slice(type.lastIndexOf(":") + 1)} "${name.join("::")}"`;
}
