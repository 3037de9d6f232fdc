/** Restarts a cluster and exports its logs, after asking. */
import { useRef, useState } from "preact/hooks";
import { ConnectionLost } from "../api/client";
import { sendKept, type Pending } from "../api/kept-request";
import { notify, Problem } from "../components/notice";
import { Dialog } from "../components/parts";
import { pageStrings } from "../page-strings";

interface RestartProps {
  readonly name: string;
  readonly running: number;
  readonly type: string;
  readonly onClose: () => void;
}

export function RestartDialog({ name, running, type, onClose }: RestartProps) {
  const text = pageStrings.clusters;
  const [force, setForce] = useState(false);
  const [engine, setEngine] = useState("");
  const [debug, setDebug] = useState("");
  const { run, error, isUnanswered, isBusy } = useRequest("restartCluster", name, () => {
    notify(text.restarted(name));
    onClose();
  });
  const restart = () =>
    run({
      ...(force ? { force } : {}),
      ...(engine === "" ? {} : { type: engine }),
      ...(debug === "" ? {} : { debug: debug === "on" }),
    });
  return (
    <Dialog title={text.restartTitle(name)} onClose={onClose}>
      <p>{text.restartText}</p>
      {running > 0 && <p class="banner warning">{text.restartRunning(running)}</p>}
      <label class="check">
        <input type="checkbox" checked={force} onChange={(event) => setForce(event.currentTarget.checked)} />
        <span>
          {text.force}
          {running > 0 && force && <strong> {text.forceWarning(running)}</strong>}
        </span>
      </label>
      <div class="field-row">
        <label class="field">
          <span>{text.typeField}</span>
          <select value={engine} onChange={(event) => setEngine(event.currentTarget.value)}>
            <option value="">{text.unchanged}</option>
            <option value={type}>{type}</option>
          </select>
        </label>
        <label class="field">
          <span>{text.debugField}</span>
          <select value={debug} onChange={(event) => setDebug(event.currentTarget.value)}>
            <option value="">{text.unchanged}</option>
            <option value="on">{text.on}</option>
            <option value="off">{text.off}</option>
          </select>
        </label>
      </div>
      {error && <Problem error={error} />}
      {isUnanswered && <p>{pageStrings.mayBeDone(text.restart)}</p>}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {text.cancel}
        </button>
        <button type="button" class="button danger primary" disabled={isBusy} onClick={() => void restart()}>
          {text.restart}
        </button>
      </div>
    </Dialog>
  );
}

export function ExportDialog({ name, onClose }: { readonly name: string; readonly onClose: () => void }) {
  const text = pageStrings.clusters;
  const [folder, setFolder] = useState(`dag://default/logs/${name}/`);
  const [compress, setCompress] = useState(false);
  const { run, error, isUnanswered, isBusy } = useRequest("exportClusterLog", name, () => {
    notify(text.exported(folder));
    onClose();
  });
  const submit = (event: Event) => {
    event.preventDefault();
    void run({ outputLogPath: folder, compress });
  };
  return (
    <Dialog title={text.exportTitle(name)} onClose={onClose}>
      <form onSubmit={submit}>
        <label class="field">
          <span>{text.exportFolder}</span>
          <input required spellcheck={false} value={folder} onInput={(event) => setFolder(event.currentTarget.value)} />
        </label>
        <label class="check">
          <input type="checkbox" checked={compress} onChange={(event) => setCompress(event.currentTarget.checked)} />
          <span>{text.compress}</span>
        </label>
        {error && <Problem error={error} />}
        {isUnanswered && <p>{pageStrings.mayBeDone(text.export)}</p>}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {text.cancel}
          </button>
          <button type="submit" class="button primary" disabled={isBusy}>
            {isBusy ? text.exporting : text.export}
          </button>
        </div>
      </form>
    </Dialog>
  );
}

/**
 * Sends the request of a dialog, and shows the error when it has not worked. As long as the dialog is open, the same request
 * is done once.
 */
function useRequest(operation: "restartCluster" | "exportClusterLog", clusterName: string, onDone: () => void) {
  const pending = useRef<Pending<object>>(undefined);
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = async (body: object) => {
    setBusy(true);
    setError(undefined);
    try {
      const keep = (sent: Pending<object> | undefined) => (pending.current = sent);
      await sendKept(operation, { path: { clusterName }, body }, pending.current, keep);
      onDone();
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  const isUnanswered = error instanceof ConnectionLost && pending.current?.key !== undefined;
  return { run, error, isUnanswered, isBusy };
}
