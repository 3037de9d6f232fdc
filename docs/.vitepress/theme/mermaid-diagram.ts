/** Draws a diagram from its text in the browser. Without scripts, and until it is drawn, the text itself is shown. */
import type mermaidLibrary from "mermaid";
import script from "mermaid/dist/mermaid.min.js?url";
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, watch } from "vue";

let drawn = 0;
let loading: Promise<typeof mermaidLibrary> | undefined;

export const MermaidDiagram = defineComponent({
  props: { source: { type: String, required: true } },
  setup(props) {
    const { isDark } = useData();
    const text = decodeURIComponent(props.source);
    const image = ref("");
    const draw = async () => {
      const mermaid = await library();
      mermaid.initialize({
        startOnLoad: false,
        securityLevel: "strict",
        theme: isDark.value ? "dark" : "neutral",
        // The dark theme's own is too light for the text on it.
        themeVariables: isDark.value ? { edgeLabelBackground: "#333333" } : {},
      });
      const { svg } = await mermaid.render(`diagram-${(drawn += 1)}`, text);
      image.value = svg;
    };
    onMounted(() => {
      void draw();
      watch(isDark, () => void draw());
    });
    return () =>
      image.value === ""
        ? h("pre", { class: "diagram", tabindex: 0 }, text)
        : h("div", { class: "diagram", role: "img", tabindex: 0, "aria-label": "Diagram", innerHTML: image.value });
  },
});

/** Loads the library, on pages with a diagram only. It is used as it is published: bundling it takes most of a build. */
function library(): Promise<typeof mermaidLibrary> {
  return (loading ??= new Promise((resolve, reject) => {
    const element = Object.assign(document.createElement("script"), { src: script });
    element.addEventListener("load", () =>
      resolve((globalThis as unknown as { mermaid: typeof mermaidLibrary }).mermaid),
    );
    element.addEventListener("error", () => reject(new Error(`${script} could not be loaded`)));
    document.head.append(element);
  }));
}
