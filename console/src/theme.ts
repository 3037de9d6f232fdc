/** Light, dark, or as the system. */
import { computed, effect, signal } from "@preact/signals";

export type Theme = "system" | "light" | "dark";

const stored = localStorage.getItem("dag-console theme");

/** The chosen theme. */
export const theme = signal<Theme>(stored === "light" || stored === "dark" ? stored : "system");

const dark = window.matchMedia("(prefers-color-scheme: dark)");
const isSystemDark = signal(dark.matches);
dark.addEventListener("change", () => (isSystemDark.value = dark.matches));

/** The theme that is shown. */
export const shownTheme = computed(() =>
  theme.value === "system" ? (isSystemDark.value ? "dark" : "light") : theme.value,
);

/** Shows the chosen theme, and follows the system. */
export function applyTheme(): void {
  effect(() => {
    document.documentElement.dataset["theme"] = shownTheme.value;
  });
}

/** Goes to the next theme and remembers it. */
export function nextTheme(): void {
  const order: readonly Theme[] = ["system", "light", "dark"];
  theme.value = order[(order.indexOf(theme.value) + 1) % order.length]!;
  localStorage.setItem("dag-console theme", theme.value);
}
