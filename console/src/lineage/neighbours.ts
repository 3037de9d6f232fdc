/** Where the arrow keys go from a node of a lineage. */
import type { LineageGraph } from "../../../contract/extension";
import type { PlacedNode } from "./layout";

export type Direction = "left" | "right" | "up" | "down";

/**
 * Returns the node to which a key goes: left to what the node is made of, right to who reads it, up and down to the next
 * one of its column; undefined when there is none.
 */
export function neighbour(
  { edges }: LineageGraph,
  nodes: readonly PlacedNode[],
  id: string,
  direction: Direction,
): string | undefined {
  const from = nodes.find(({ node }) => node.id === id);
  if (!from) return undefined;
  const candidates =
    direction === "left" || direction === "right"
      ? nodes.filter(({ node }) =>
          edges.some((edge) =>
            direction === "left" ? edge.to === id && edge.from === node.id : edge.from === id && edge.to === node.id,
          ),
        )
      : nodes.filter(({ x, y }) => Math.abs(x - from.x) < 1 && (direction === "up" ? y < from.y : y > from.y));
  const [nearest] = candidates.toSorted((a, b) => Math.abs(a.y - from.y) - Math.abs(b.y - from.y));
  return nearest?.node.id;
}
