/** The address: the page below `/console/` and its parameters. Every view is in the address, so that it can be shared. */
import { signal } from "@preact/signals";

/** Path below `/console`, such as `/queries/7`, and the parameters. */
export interface Place {
  readonly path: string;
  readonly parameters: URLSearchParams;
}

const base = "/console";

const read = (): Place => ({
  path: decoded(window.location.pathname).slice(base.length) || "/",
  parameters: new URLSearchParams(window.location.search),
});

/** Returns a path as it was typed; one with an invalid percent-encoding, which names no page, as it is. */
function decoded(path: string): string {
  try {
    return decodeURI(path);
  } catch {
    return path;
  }
}

/** The current place. */
export const place = signal<Place>(read());

window.addEventListener("popstate", () => (place.value = read()));

/** Returns the address of a page. The service that the console calls stays the same. */
export function href(path: string, parameters: Readonly<Record<string, string>> = {}): string {
  const query = new URLSearchParams(Object.entries(parameters).filter(([, value]) => value !== ""));
  const endpoint = place.value.parameters.get("endpoint");
  if (endpoint) query.set("endpoint", endpoint);
  const text = query.toString();
  return `${base}${path}${text === "" ? "" : `?${text}`}`;
}

/** Goes to a page. @param replace true to stay at the same entry of the history. */
export function go(path: string, parameters: Readonly<Record<string, string>> = {}, replace = false): void {
  const url = href(path, parameters);
  if (replace) history.replaceState(null, "", url);
  else history.pushState(null, "", url);
  place.value = read();
}

/** Follows links inside the console without loading the page again. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (!link || !isPlain || link.origin !== window.location.origin || link.hasAttribute("download")) return;
  if (!link.pathname.startsWith(`${base}/`) || link.target !== "") return;
  event.preventDefault();
  history.pushState(null, "", link.href);
  place.value = read();
  window.scrollTo(0, 0);
}
