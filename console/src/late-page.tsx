/** Pages, and parts of them, whose files are loaded when they are opened, also when the service does not answer then. */
import type { Attributes, ComponentType, VNode } from "preact";
import { useEffect, useState } from "preact/hooks";
import { ConnectionLost } from "./api/client";
import { usePoll } from "./api/poll";
import { Problem } from "./components/notice";
import { strings } from "./strings";

/** Set in this tab while it has loaded the console again for the sake of a page: it does so once, not for ever. */
const reloadKey = "dag-console reloaded";

/**
 * Returns a page that is loaded when it is first shown. While the service that has its files does not answer, the page
 * says so, and opens as soon as the service answers. Files that are missing then, as after an upgrade, need the console
 * of now: it is loaded again, once.
 * @param load imports the page
 * @param loading what is shown meanwhile
 */
export function latePage<Props extends object>(
  load: () => Promise<ComponentType<Props>>,
  loading = () => <p class="loading">{strings.shell.loading}</p>,
): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined;
  return function LatePage(props: Props) {
    const [Page, setPage] = useState(() => loaded);
    if (Page) return <Page {...(props as Props & Attributes)} />;
    return (
      <Opening
        load={load}
        loading={loading}
        onLoaded={(page) => {
          loaded = page;
          setPage(() => page);
        }}
      />
    );
  };
}

interface OpeningProps<Props> {
  readonly load: () => Promise<ComponentType<Props>>;
  readonly loading: () => VNode;
  readonly onLoaded: (page: ComponentType<Props>) => void;
}

function Opening<Props>({ load, loading, onLoaded }: OpeningProps<Props>) {
  const [lost, setLost] = useState<Error>();
  const { value, error, refresh } = usePoll(
    async (signal) => {
      try {
        return { page: await loadOrReload(load, signal) };
      } catch (problem) {
        if (problem instanceof ConnectionLost) setLost(problem);
        throw problem;
      }
    },
    0,
    "late page",
  );
  useEffect(() => value && onLoaded(value.page), [value]);
  const problem = error ?? lost;
  if (!problem) return loading();
  const again = () => {
    sessionStorage.removeItem(reloadKey);
    refresh();
  };
  return <Problem error={problem} retry={again} />;
}

/**
 * Loads a page. When the service answers and the page's files cannot be loaded, loads the whole console again.
 * @throws ConnectionLost while the service does not answer; Error when the console was loaded again already
 */
async function loadOrReload<Page>(load: () => Promise<Page>, signal: AbortSignal): Promise<Page> {
  const { origin } = window.location;
  try {
    const page = await load();
    sessionStorage.removeItem(reloadKey);
    return page;
  } catch (cause) {
    const answer = await fetch("/console/config.json", { cache: "no-store", signal }).catch(() => undefined);
    signal.throwIfAborted();
    if (!answer?.ok)
      throw new ConnectionLost(`${strings.connection.lost(origin)} ${strings.shell.pageOpensLater}`, { cause });
    if (sessionStorage.getItem(reloadKey) !== null) throw new Error(strings.shell.pageMissing(origin), { cause });
    sessionStorage.setItem(reloadKey, "true");
    window.location.reload();
    return new Promise(() => {});
  }
}
