/** How a program is started on each platform: Windows starts only `.exe` files without a shell. */

/** The programs of ours that are `.exe` files on Windows; others, such as npm, are `.cmd` files there. */
const executables = new Set(["git", "go", "node", "pulumi", "tar"]);

/**
 * Returns what `spawn` is called with.
 *
 * @param {string} program a name on PATH, or a path
 * @param {readonly string[]} args
 * @param {NodeJS.Platform} [platform]
 * @returns {{ file: string, args: string[], shell: boolean }}
 */
export function platformCommand(program, args, platform = process.platform) {
  const direct = platform !== "win32" || executables.has(program) || /\.exe$/i.test(program);
  if (direct) return { file: program, args: [...args], shell: false };
  return { file: quoted(program), args: args.map(quoted), shell: true };
}

/**
 * Quotes a word for cmd.exe, which would otherwise split it at spaces and read `&`, `|`, `<`, `>` and `^`.
 *
 * @param {string} word
 */
function quoted(word) {
  return /^[\w@.:/\\=-]+$/.test(word) ? word : `"${word.replaceAll('"', '""')}"`;
}
