/** The address: the page below `/console/` and its parameters. Every view is in the address, so that it can be shared. */
import { signal } from "@preact/signals";

/** Path below `/console`, such as `/queries/7`, and the parameters. */
export interface Place {
  readonly path: string;
  readonly parameters: URLSearchParams;
  /** The entry of the browser's history: going back to it has the same one. */
  readonly entry: string;
  /** The segments of the path behind the page's name, with the characters that they stand for. */
  readonly segments: readonly string[];
}

const base = "/console";

const read = (): Place => ({
  path: decoded(window.location.pathname).slice(base.length) || "/",
  parameters: new URLSearchParams(window.location.search),
  entry: entryState().entry ?? "",
  segments: window.location.pathname.slice(base.length).split("/").slice(2).map(decodedSegment),
});

/** What is kept with an entry of the history. */
interface EntryState {
  readonly entry?: string;
  /** The path from which a link led here. */
  readonly from?: string;
}

function entryState(): EntryState {
  const state: unknown = history.state;
  return typeof state === "object" && state !== null ? state : {};
}

let entries = 0;

function push(url: string): void {
  entries += 1;
  const state: EntryState = { entry: `${Date.now()}.${entries}`, from: place.value.path };
  history.pushState(state, "", url);
  place.value = read();
}

/** Goes back if the user came from this page, so that it is as it was left. Returns false otherwise. */
export function backTo(path: string): boolean {
  if (entryState().from !== path) return false;
  history.back();
  return true;
}

function decodedSegment(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

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
  if (!replace) return push(url);
  history.replaceState(history.state, "", url);
  place.value = read();
}

/** Follows links inside the console without loading the page again. */
export function followLinks(event: MouseEvent): void {
  const link = (event.target as Element).closest("a");
  const isPlain = event.button === 0 && !event.metaKey && !event.ctrlKey && !event.shiftKey && !event.altKey;
  if (
    !link ||
    !isPlain ||
    event.defaultPrevented ||
    link.origin !== window.location.origin ||
    link.hasAttribute("download")
  )
    return;
  if (!link.pathname.startsWith(`${base}/`) || link.target !== "") return;
  event.preventDefault();
  push(link.href);
  window.scrollTo(0, 0);
}
