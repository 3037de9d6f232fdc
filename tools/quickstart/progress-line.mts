/** Shows Pulumi's output on a terminal: what is only progress is one line that each update overwrites. */

/** A line that a later one makes superfluous, such as `@ updating....` or ` +  dag:index:SelectQuery daily creating (2s)`. */
const progress = /^(?:@ \w+\.*|\s*\S+\s+\S+ \S+ (?:creating|updating|replacing|deleting|reading|refreshing)\b.*)$/;
// oxlint-disable-next-line no-control-regex -- colours
const colours = /\u001b\[[\d;]*m/g;

interface Terminal {
  readonly columns?: number;
  write(text: string): unknown;
}

/** Returns a function that takes Pulumi's output in any pieces. */
export function progressLine(terminal: Terminal): (text: string) => void {
  let rest = "";
  let isShown = false;
  const clear = () => {
    if (isShown) terminal.write("\r\u001b[K");
    isShown = false;
  };
  return (text) => {
    const lines = (rest + text).split("\n");
    rest = lines.pop()!;
    for (const line of lines) {
      const plain = line.replaceAll(colours, "").trimEnd();
      clear();
      if (progress.test(plain)) {
        terminal.write(plain.trimStart().slice(0, Math.max(20, (terminal.columns ?? 80) - 1)));
        isShown = true;
      } else terminal.write(`${line}\n`);
    }
  };
}
