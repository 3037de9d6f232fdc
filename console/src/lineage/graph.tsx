/** Draws a lineage: it can be dragged and zoomed, and its nodes are reached with the arrow keys. */
import { memo } from "preact/compat";
import { useCallback, useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import type { LineageGraph } from "../../../contract/extension";
import { IconButton } from "../components/icon-button";
import { pageStrings } from "../page-strings";
import { strings } from "../strings";
import { layoutOf, nodeSize, type Layout, type PlacedEdge, type PlacedNode } from "./layout";
import { neighbour, type Direction } from "./neighbours";
import { centred, fitted, isInView, zoomed, type View } from "./view";

interface LineageViewProps {
  readonly graph: LineageGraph;
  readonly layout: Layout;
  readonly selected: string;
  readonly onSelect: (id: string) => void;
}

export { layoutOf };

const directions: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};

/** How much one step of the buttons and keys zooms. */
const zoomStep = 1.3;

export function LineageView({ graph, layout, selected, onSelect }: LineageViewProps) {
  const frame = useRef<SVGSVGElement>(null);
  const [view, setView] = useState<View>({ x: 0, y: 0, scale: 1 });
  const size = () => frame.current!.getBoundingClientRect();
  const [frameSize, setFrameSize] = useState({ width: 0, height: 0 });
  const root = layout.nodes.find(({ node }) => node.id === graph.root);
  useLayoutEffect(() => {
    setView(fitted(layout, root, size()));
    const observer = new ResizeObserver(() => setFrameSize(size()));
    setFrameSize(size());
    observer.observe(frame.current!);
    return () => observer.disconnect();
  }, [layout]);
  // Only what is in view is drawn.
  const nodes = layout.nodes.filter(
    (placed) => placed.node.id === selected || isInView(view, placed, nodeSize, frameSize),
  );
  const shown = new Set(nodes.map(({ node }) => node.id));
  const edges = layout.edges.filter(({ from, to }) => shown.has(from) || shown.has(to));
  const zoom = (factor: number) => setView((before) => zoomed(before, factor, middleOf(size())));
  useWheel(frame, setView);
  const drag = useDrag(setView);

  const wanted = useRef("");
  useLayoutEffect(() => {
    if (wanted.current !== selected) return;
    wanted.current = "";
    frame.current!.querySelector<SVGElement>(`[data-node="${CSS.escape(selected)}"]`)?.focus({ preventScroll: true });
  }, [selected]);
  const focus = (id: string) => {
    wanted.current = id;
    onSelect(id);
    const placed = layout.nodes.find(({ node }) => node.id === id);
    if (placed) setView((before) => centred(before, placed, size()));
  };
  const onKeyDown = (event: KeyboardEvent) => {
    const direction = directions[event.key];
    if (direction) {
      const next = neighbour(graph, layout.nodes, selected, direction);
      if (next !== undefined) focus(next);
    } else if (event.key === "+" || event.key === "=") zoom(zoomStep);
    else if (event.key === "-") zoom(1 / zoomStep);
    else if (event.key === "0") setView(fitted(layout, undefined, size()));
    else if (event.key === "Home") focus(graph.root);
    else return;
    event.preventDefault();
  };
  const select = useCallback((id: string) => onSelect(id), [onSelect]);
  return (
    <div class="lineage-frame">
      <svg
        ref={frame}
        class="lineage"
        role="group"
        aria-label={pageStrings.lineage.graph(graph.nodes.length)}
        onKeyDown={onKeyDown}
        {...drag}
      >
        <defs>
          <marker id="arrow" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
            <path d="M0 0L8 4L0 8z" class="arrow" />
          </marker>
        </defs>
        <g transform={`translate(${view.x} ${view.y}) scale(${view.scale})`}>
          {edges.map((edge) => (
            <Edge key={`${edge.from} ${edge.to}`} edge={edge} />
          ))}
          {nodes.map((placed) => (
            <Node
              key={placed.node.id}
              placed={placed}
              isRoot={placed.node.id === graph.root}
              isSelected={placed.node.id === selected}
              onSelect={select}
            />
          ))}
        </g>
      </svg>
      <div class="lineage-tools">
        <IconButton icon="plus" name={pageStrings.lineage.zoomIn} onClick={() => zoom(zoomStep)} />
        <IconButton icon="minus" name={pageStrings.lineage.zoomOut} onClick={() => zoom(1 / zoomStep)} />
        <IconButton
          icon="fit"
          name={pageStrings.lineage.fit}
          onClick={() => setView(fitted(layout, undefined, size()))}
        />
      </div>
    </div>
  );
}

const Edge = memo(function Edge({ edge: { path } }: { readonly edge: PlacedEdge }) {
  return <path class="edge" d={path} marker-end="url(#arrow)" />;
});

interface NodeProps {
  readonly placed: PlacedNode;
  readonly isRoot: boolean;
  readonly isSelected: boolean;
  readonly onSelect: (id: string) => void;
}

const Node = memo(function Node({ placed: { node, x, y }, isRoot, isSelected, onSelect }: NodeProps) {
  const text = strings.lineage;
  const { width, height } = nodeSize;
  const kind = `${text.describe(node)}${node.stale === undefined ? "" : ` · ${text.stale}`}`;
  const state = node.isDeleted ? " deleted" : node.stale === undefined ? "" : " stale";
  const looks = `${isRoot ? " root" : ""}${isSelected ? " selected" : ""}${state}`;
  return (
    <g
      class={`node ${node.kind}${looks}`}
      transform={`translate(${x - width / 2} ${y - height / 2})`}
      role="button"
      // Preact keeps the case of names in SVG.
      tabindex={isSelected ? 0 : -1}
      aria-pressed={isSelected}
      aria-description={node.stale === undefined ? undefined : text.staleBecause(node.stale)}
      data-node={node.id}
      onClick={() => onSelect(node.id)}
      onKeyDown={(event) => (event.key === "Enter" || event.key === " ") && onSelect(node.id)}
    >
      <title>{`${node.name} · ${kind}`}</title>
      <rect width={width} height={height} rx="8" />
      <text x="12" y="20" class="node-name">
        {shortened(node.name)}
      </text>
      <text x="12" y="38" class="node-kind">
        {kind}
      </text>
    </g>
  );
});

/** Characters that fit into a node. */
const maxName = 27;

/** The end of a name tells more than its beginning. */
function shortened(name: string): string {
  return name.length <= maxName ? name : `…${name.slice(1 - maxName)}`;
}

const middleOf = ({ width, height }: DOMRect) => ({ x: width / 2, y: height / 2 });

/** The wheel zooms at the pointer. */
function useWheel(
  frame: { readonly current: SVGSVGElement | null },
  setView: (change: (before: View) => View) => void,
) {
  useEffect(() => {
    const element = frame.current!;
    const onWheel = (event: WheelEvent) => {
      event.preventDefault();
      const { left, top } = element.getBoundingClientRect();
      const point = { x: event.clientX - left, y: event.clientY - top };
      setView((before) => zoomed(before, Math.exp(-event.deltaY / 400), point));
    };
    element.addEventListener("wheel", onWheel, { passive: false });
    return () => element.removeEventListener("wheel", onWheel);
  }, []);
}

/** Dragging moves the graph. */
function useDrag(setView: (change: (before: View) => View) => void) {
  const last = useRef<{ readonly x: number; readonly y: number } | undefined>(undefined);
  return {
    onPointerDown: (event: PointerEvent) => {
      if (event.button !== 0 || (event.target as Element).closest(".node")) return;
      last.current = { x: event.clientX, y: event.clientY };
      (event.currentTarget as Element).setPointerCapture(event.pointerId);
    },
    onPointerMove: (event: PointerEvent) => {
      const from = last.current;
      if (!from) return;
      last.current = { x: event.clientX, y: event.clientY };
      setView(({ x, y, scale }) => ({ x: x + event.clientX - from.x, y: y + event.clientY - from.y, scale }));
    },
    onPointerUp: () => (last.current = undefined),
    onPointerCancel: () => (last.current = undefined),
  };
}
