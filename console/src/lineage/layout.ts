/** Places the nodes of a lineage from left to right, so that few lines cross. */
import { Graph, layout } from "@dagrejs/dagre";
import type { LineageGraph, LineageNode } from "../../../contract/extension";

/** Size of every node in pixels. */
export const nodeSize = { width: 220, height: 50 } as const;

/** Nodes above which lines may cross more often, so that the layout takes a third of the time. */
const manyNodes = 150;

export interface PlacedNode {
  readonly node: LineageNode;
  /** The middle. */
  readonly x: number;
  readonly y: number;
}

export interface PlacedEdge {
  readonly from: string;
  readonly to: string;
  /** The `d` of an SVG path. */
  readonly path: string;
}

export interface Layout {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly PlacedNode[];
  readonly edges: readonly PlacedEdge[];
}

/** Returns the places of all nodes and edges. */
export function layoutOf({ nodes, edges }: LineageGraph): Layout {
  const graph = new Graph();
  graph.setGraph({ rankdir: "LR", ranker: "tight-tree", nodesep: 18, ranksep: 70, marginx: 20, marginy: 20 });
  graph.setDefaultEdgeLabel(() => ({}));
  for (const { id } of nodes) graph.setNode(id, { ...nodeSize });
  for (const { from, to } of edges) graph.setEdge(from, to);
  layout(graph, { disableOptimalOrderHeuristic: nodes.length > manyNodes });
  const { width = 0, height = 0 } = graph.graph() as { width?: number; height?: number };
  return {
    width,
    height,
    nodes: nodes.map((node) => ({ node, ...placeOf(graph.node(node.id)) })),
    edges: edges.map(({ from, to }) => ({ from, to, path: pathOf(graph.edge(from, to).points ?? []) })),
  };
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const placeOf = ({ x = 0, y = 0 }: { x?: number; y?: number }): Point => ({ x, y });

/** A line through the points with rounded corners. */
function pathOf([first, ...rest]: readonly Point[]): string {
  if (!first) return "";
  const steps = rest.slice(0, -1).map((point, index) => {
    const next = rest[index + 1]!;
    return `Q${round(point.x)} ${round(point.y)} ${round((point.x + next.x) / 2)} ${round((point.y + next.y) / 2)}`;
  });
  const last = rest.at(-1) ?? first;
  return `M${round(first.x)} ${round(first.y)}${steps.join("")}L${round(last.x)} ${round(last.y)}`;
}

const round = (value: number) => Math.round(value * 10) / 10;
