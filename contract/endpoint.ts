/** The address of a service, as the console takes it from `?endpoint=`. */

/** Host names and IP addresses. A URL allows more in a host, such as `;` and `*`, which mean something to a browser. */
const host = /^(?:[a-z0-9._-]+|\[[0-9a-f:.]+\])$/;

/** Returns the URL of a service; undefined when the text is no http or https URL with the name or address of a host. */
export function endpointUrl(text: string | null | undefined): URL | undefined {
  const url = typeof text === "string" ? URL.parse(text) : null;
  return url && /^https?:$/.test(url.protocol) && host.test(url.hostname) ? url : undefined;
}
