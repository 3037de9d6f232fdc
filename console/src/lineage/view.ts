/** The part of a lineage that is in view: arithmetic without a page. */

export interface View {
  readonly x: number;
  readonly y: number;
  readonly scale: number;
}

interface Size {
  readonly width: number;
  readonly height: number;
}

interface Point {
  readonly x: number;
  readonly y: number;
}

const [smallest, largest] = [0.05, 2.5];
/** The scale below which names cannot be read. */
const readable = 0.45;

/** Shows the whole graph; one that is too large to be read, around a node if one is given. */
export function fitted(graph: Size, around: Point | undefined, frame: Size): View {
  const scale = Math.min(1, frame.width / Math.max(1, graph.width), frame.height / Math.max(1, graph.height));
  if (scale < readable && around) return centred({ x: 0, y: 0, scale: 0.8 }, around, frame);
  return {
    x: (frame.width - graph.width * scale) / 2,
    y: (frame.height - graph.height * scale) / 2,
    scale: Math.max(smallest, scale),
  };
}

/** Zooms so that what is under a point stays there. */
export function zoomed({ x, y, scale }: View, factor: number, at: Point): View {
  const next = Math.min(largest, Math.max(smallest, scale * factor));
  const ratio = next / scale;
  return { x: at.x - (at.x - x) * ratio, y: at.y - (at.y - y) * ratio, scale: next };
}

/** Returns true when something of a node is in view, or near it. */
export function isInView({ x, y, scale }: View, place: Point, node: Size, frame: Size): boolean {
  const [left, top] = [place.x * scale + x, place.y * scale + y];
  const [reachX, reachY] = [node.width * scale, node.height * scale * 4];
  return left > -reachX && left < frame.width + reachX && top > -reachY && top < frame.height + reachY;
}

/** Moves a place of the graph to the middle. */
export function centred({ scale }: View, { x, y }: Point, { width, height }: Size): View {
  return { x: width / 2 - x * scale, y: height / 2 - y * scale, scale };
}
