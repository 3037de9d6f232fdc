/** A list that draws only the rows in view, so that a hundred thousand scroll as smoothly as ten. */
import type { ComponentChildren, RefObject } from "preact";
import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { Recent } from "../recent";

interface VirtualListProps {
  readonly count: number;
  /** Height of every row in pixels. */
  readonly rowHeight: number;
  readonly row: (index: number, top: number) => ComponentChildren;
  /** Called with the number of rows that are needed when those in view come near the end. */
  readonly onNeed: (count: number) => void;
  /** Rows that were added above since the first drawing: what is in view stays in view. */
  readonly addedAbove: number;
  /** The entry of the history that shows the list: going back to one scrolls to where it was left. */
  readonly entry: string;
  readonly name: string;
  readonly head: ComponentChildren;
  readonly foot: ComponentChildren;
}

/** Rows drawn above and below the view. */
const extra = 10;
/** Rows before the end at which more are needed. */
const nearEnd = 60;

export function VirtualList({ count, rowHeight, row, onNeed, addedAbove, entry, name, head, foot }: VirtualListProps) {
  const frame = useRef<HTMLDivElement>(null);
  const range = useRange(frame, rowHeight);
  usePosition(frame, entry, count);
  const above = useRef(addedAbove);
  useLayoutEffect(() => {
    const element = frame.current!;
    const added = addedAbove - above.current;
    above.current = addedAbove;
    if (added > 0 && element.scrollTop > rowHeight) element.scrollTop += added * rowHeight;
  }, [addedAbove, rowHeight]);
  const first = Math.max(0, range.first - extra);
  const last = Math.min(count, range.last + extra);
  useEffect(() => {
    // The longer the list is, the more it grows at a time: whoever has come far goes on.
    const more = Math.min(2000, Math.max(100, Math.floor(count / 5)));
    if (range.last + nearEnd >= count) onNeed(count + more);
  }, [range.last, count, onNeed]);
  const rows: ComponentChildren[] = [];
  for (let index = first; index < last; index += 1) rows.push(row(index, index * rowHeight));
  return (
    <div class="virtual" role="table" aria-label={name} aria-rowcount={count + 1}>
      {head}
      <div
        class="virtual-frame"
        ref={frame}
        role="rowgroup"
        tabIndex={0}
        onKeyDown={(event) => moveFocus(event, rowHeight)}
      >
        <div class="virtual-rows" role="presentation" style={{ height: `${count * rowHeight}px` }}>
          {rows}
        </div>
        {foot}
      </div>
    </div>
  );
}

/** Where lists were scrolled to, by the entry of the history. */
const positions = new Recent<number>(50);

/** Scrolls to where the list of this entry was left, as soon as there are rows. */
function usePosition(frame: RefObject<HTMLDivElement | null>, entry: string, count: number): void {
  const restored = useRef<string>(undefined);
  useLayoutEffect(() => {
    const element = frame.current!;
    const onScroll = () => positions.set(entry, element.scrollTop);
    element.addEventListener("scroll", onScroll, { passive: true });
    return () => element.removeEventListener("scroll", onScroll);
  }, [entry]);
  useLayoutEffect(() => {
    if (count === 0 || restored.current === entry) return;
    restored.current = entry;
    frame.current!.scrollTop = positions.get(entry) ?? 0;
  }, [entry, count]);
}

function useRange(frame: RefObject<HTMLDivElement | null>, rowHeight: number) {
  const [range, setRange] = useState({ first: 0, last: 30 });
  useEffect(() => {
    const element = frame.current!;
    // The height is known from the observer: to ask for it while the user scrolls would cost a layout.
    let height = element.clientHeight;
    // Browsers send this event once a frame, before they draw.
    const onScroll = () => {
      const { scrollTop } = element;
      const first = Math.floor(scrollTop / rowHeight);
      const last = Math.ceil((scrollTop + height) / rowHeight);
      setRange((before) => (before.first === first && before.last === last ? before : { first, last }));
    };
    onScroll();
    element.addEventListener("scroll", onScroll, { passive: true });
    const observer = new ResizeObserver(() => {
      height = element.clientHeight;
      onScroll();
    });
    observer.observe(element);
    return () => {
      element.removeEventListener("scroll", onScroll);
      observer.disconnect();
    };
  }, [rowHeight]);
  return range;
}

/** Arrow keys go from row to row, Home and End to the ends of what is loaded. */
function moveFocus(event: KeyboardEvent, rowHeight: number): void {
  const frame = event.currentTarget as HTMLElement;
  if (event.key === "Home" || event.key === "End") {
    frame.scrollTop = event.key === "Home" ? 0 : frame.scrollHeight;
    event.preventDefault();
    return;
  }
  const step = event.key === "ArrowDown" ? 1 : event.key === "ArrowUp" ? -1 : 0;
  if (step === 0) return;
  event.preventDefault();
  const links = [...frame.querySelectorAll<HTMLElement>("[data-row] a")].toSorted((a, b) => rowOf(a) - rowOf(b));
  const at = links.indexOf(document.activeElement as HTMLElement);
  const next = at < 0 ? links.find((link) => rowOf(link) * rowHeight >= frame.scrollTop) : links[at + step];
  next?.focus({ preventScroll: true });
  next?.closest("[data-row]")?.scrollIntoView({ block: "nearest" });
}

const rowOf = (link: HTMLElement) => Number(link.closest<HTMLElement>("[data-row]")!.dataset["row"]);
