/** Restarts a cluster and exports its logs, after asking. */
import { useState } from "preact/hooks";
import { call } from "../api/client";
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
  const { run, error, isBusy } = useAction(onClose);
  const restart = () =>
    run(async () => {
      const body = {
        ...(force ? { force } : {}),
        ...(engine === "" ? {} : { type: engine }),
        ...(debug === "" ? {} : { debug: debug === "on" }),
      };
      await call("restartCluster", { path: { clusterName: name }, body });
      notify(text.restarted(name));
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
  const { run, error, isBusy } = useAction(onClose);
  const submit = (event: Event) => {
    event.preventDefault();
    void run(async () => {
      await call("exportClusterLog", { path: { clusterName: name }, body: { outputLogPath: folder, compress } });
      notify(text.exported(folder));
    });
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

/** Runs an action; closes the dialog when it has worked, and shows the error when not. */
function useAction(onDone: () => void) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = async (work: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    try {
      await work();
      onDone();
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return { run, error, isBusy };
}
