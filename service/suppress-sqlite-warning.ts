/**
 * Suppresses the warning of Node 22 that `node:sqlite` is experimental: stderr is reserved for messages that the user
 * must act on. Node 24 does not warn. The command imports this module first.
 */
const emitWarning = process.emitWarning.bind(process) as (...args: unknown[]) => void;

process.emitWarning = (...args: unknown[]) => {
  const [warning, type] = args;
  if (type === "ExperimentalWarning" && String(warning).startsWith("SQLite ")) return;
  emitWarning(...args);
};
