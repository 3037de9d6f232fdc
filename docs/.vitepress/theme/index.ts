/** The default theme, with diagrams. */
import type { Theme } from "vitepress";
import defaultTheme from "vitepress/theme";
import { MermaidDiagram } from "./mermaid-diagram";
// oxlint-disable-next-line import/no-unassigned-import -- styles
import "./style.css";

export default {
  extends: defaultTheme,
  enhanceApp: ({ app }) => void app.component("MermaidDiagram", MermaidDiagram),
} satisfies Theme;
