/**
 * Imported first by the command: Node 22 warns on stderr that `node:sqlite` is experimental, and stderr is for what
 * the user must do something about. Node 24 does not warn.
 */
const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;

process.emitWarning = (...args: unknown[]) => {
  const [warning, type] = args;
  if (type === "ExperimentalWarning" && String(warning).startsWith("SQLite ")) return;
  emitWarning(...args);
};
