/** Light, dark, or as the system. */
import { signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const stored = localStorage.getItem("dag-console theme");

/** The chosen theme. */
export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

/** Shows the chosen theme. */
export function applyTheme(): void {
  document.documentElement.dataset["theme"] = theme.value;
}

/** Goes to the next theme and remembers it. */
export function nextTheme(): void {
  const order: readonly Theme[] = ["system", "light", "dark"];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
  localStorage.setItem("dag-console theme", theme.value);
  applyTheme();
}
