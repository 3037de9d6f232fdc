/** A HiveQL statement, highlighted once the highlighter is loaded. The text is there at once. */
import { useEffect, useState } from "preact/hooks";
import { strings } from "../strings";
import type { Piece } from "./hiveql";

/** A longer statement stays plain: highlighting it would hold the page up. */
const maxHighlighted = 50_000;

export function Statement({ text }: { readonly text: string }) {
  const [pieces, setPieces] = useState<{ readonly of: string; readonly pieces: readonly Piece[] }>();
  useEffect(() => {
    if (text.length > maxHighlighted) return;
    let isCurrent = true;
    void import("./hiveql").then(({ highlight }) => {
      if (isCurrent) setPieces({ of: text, pieces: highlight(text) });
    });
    return () => {
      isCurrent = false;
    };
  }, [text]);
  return (
    <pre class="code" tabIndex={0} role="region" aria-label={strings.query.statement}>
      <code>
        {pieces?.of === text
          ? pieces.pieces.map(({ text: part, className }, index) =>
              className === "" ? (
                part
              ) : (
                <span key={index} class={className}>
                  {part}
                </span>
              ),
            )
          : text}
      </code>
    </pre>
  );
}
