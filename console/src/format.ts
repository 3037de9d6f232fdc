/** Formats numbers and times for people. */

/** Formats a size, such as `1.2 MB`. */
export function bytes(size: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  let value = size;
  let unit = 0;
  while (value >= 1000 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  return `${unit === 0 || value >= 100 ? Math.round(value) : value.toFixed(1)} ${units[unit]}`;
}

/** Formats a time that has passed, such as `4 min ago`. */
export function age(milliseconds: number): string {
  const seconds = Math.max(0, Math.floor(milliseconds / 1000));
  if (seconds < 5) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} d ago`;
}

/** Formats how long something took, such as `3.2 s`. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${Math.round(milliseconds)} ms`;
  const seconds = milliseconds / 1000;
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  if (seconds < 59.5) return `${Math.round(seconds)} s`;
  const minutes = Math.floor(seconds / 60);
  if (minutes < 60) return `${minutes} min ${Math.floor(seconds % 60)} s`;
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

/** Parses the API's `YYYY-MM-DD HH:MM:SS`, UTC. */
export function apiTime(text: string): number {
  return Date.parse(`${text.replace(" ", "T")}Z`);
}

// To make a format takes longer than to use it a hundred times.
const dateTimeFormat = new Intl.DateTimeFormat("en-GB", { dateStyle: "medium", timeStyle: "medium" });
const timeFormat = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });
const shortTimeFormat = new Intl.DateTimeFormat("en-GB", { timeStyle: "short" });

/** Formats a time in this browser's zone, such as `22 Nov 2026, 14:03:09`. */
export function dateTime(time: number): string {
  return Number.isNaN(time) ? "" : dateTimeFormat.format(time);
}

/** Formats a time of day. */
export function timeOfDay(time: number): string {
  return timeFormat.format(time);
}

/** Formats a time of day without seconds. */
export function hourAndMinute(time: number): string {
  return shortTimeFormat.format(time);
}

/** The label of a query without the token that a Pulumi resource adds, and that token. */
export function splitLabel(label: string | null | undefined): { readonly own: string; readonly token: string } {
  const [, own = "", token = ""] = /^([^]*)#([0-9a-f]{12})$/.exec(label ?? "") ?? [];
  return token === "" ? { own: label ?? "", token } : { own, token };
}

/** The percentage of a progress text such as `45%`. */
export function percent(progress: string): number {
  const value = Number.parseFloat(progress);
  return Number.isNaN(value) ? 0 : Math.max(0, Math.min(100, value));
}
