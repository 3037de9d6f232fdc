/** Measures the memory of the engines' processes. */
import { readdir, readFile } from "node:fs/promises";

/**
 * Returns the memory of this process's descendants that have one of the names as an argument, in bytes by name;
 * undefined on systems without /proc. A process inherits its parent's name.
 */
export async function memoryByArgument(names: readonly string[]): Promise<ReadonlyMap<string, number> | undefined> {
  const found = await Promise.all((await processIds()).map(readProcess));
  const processes = new Map(found.filter((each) => each !== undefined).map((each) => [each.id, each]));
  if (processes.size === 0) return undefined;
  const sums = new Map<string, number>();
  for (const each of processes.values()) {
    const name = nameOf(each, processes, names);
    if (name !== undefined) sums.set(name, (sums.get(name) ?? 0) + each.memory);
  }
  return sums;
}

interface ProcessEntry {
  readonly id: number;
  readonly parent: number;
  /** Bytes in memory. */
  readonly memory: number;
  readonly arguments: readonly string[];
}

/** Finds the name in the arguments of a process or of its parents up to this process. */
function nameOf(
  entry: ProcessEntry,
  processes: ReadonlyMap<number, ProcessEntry>,
  names: readonly string[],
): string | undefined {
  let name: string | undefined;
  for (let at: ProcessEntry | undefined = entry; at && at.id !== process.pid; at = processes.get(at.parent)) {
    name ??= names.find((each) => at!.arguments.includes(each));
    if (at.parent === process.pid) return name;
  }
  return undefined;
}

async function processIds(): Promise<number[]> {
  try {
    return (await readdir("/proc")).filter((name) => /^\d+$/.test(name)).map(Number);
  } catch {
    return [];
  }
}

/** Reads a process; undefined when it has ended. */
async function readProcess(id: number): Promise<ProcessEntry | undefined> {
  try {
    const [status, command] = await Promise.all([
      readFile(`/proc/${id}/status`, "utf8"),
      readFile(`/proc/${id}/cmdline`, "utf8"),
    ]);
    const field = (name: string) => Number(new RegExp(`^${name}:\\s*(\\d+)`, "m").exec(status)?.[1] ?? 0);
    return { id, parent: field("PPid"), memory: field("VmRSS") * 1024, arguments: command.split("\0") };
  } catch {
    return undefined;
  }
}
