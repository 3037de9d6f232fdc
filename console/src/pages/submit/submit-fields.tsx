/** What the forms of a select and of a split share. */
import { useEffect, useRef, useState } from "preact/hooks";
import { call } from "../../api/client";
import { usePoll } from "../../api/poll";
import { pageStrings } from "../../page-strings";

/** Asks for the clusters, in the order in which the field shows them. */
const listClusters = (signal?: AbortSignal) =>
  call("listClusters", { parameters: { order: "asc" }, signal }).then((page) => page.clusters);

/** Returns the cluster that is chosen at first: one that accepts queries, if there is any. */
const firstOf = (clusters: Awaited<ReturnType<typeof listClusters>>) =>
  clusters.find(({ status }) => status === "norm") ?? clusters[0];

/** Returns the name of the cluster that is chosen at first, for a submission before the field shows it; "" without one. */
export async function defaultCluster(): Promise<string> {
  return firstOf(await listClusters())?.name ?? "";
}

export function ClusterField({
  value,
  onChange,
}: {
  readonly value: string;
  readonly onChange: (value: string) => void;
}) {
  const clusters = usePoll(listClusters, 5000, "clusters").value;
  const first = clusters && firstOf(clusters);
  useEffect(() => {
    if (value === "" && first) onChange(first.name);
  }, [value, first?.name]);
  return (
    <label class="field">
      <span>{pageStrings.submit.cluster}</span>
      <select required value={value} onChange={(event) => onChange(event.currentTarget.value)}>
        {(clusters ?? []).map(({ name, status }) => (
          <option key={name} value={name}>
            {status === "norm" ? name : `${name} (${pageStrings.clusters.status[status] ?? status})`}
          </option>
        ))}
      </select>
    </label>
  );
}

/**
 * Submits once at a time.
 * @param send returns undefined when it has not submitted a query
 * @param done is called with the new query
 */
export function useSubmit(send: () => Promise<{ queryId: number } | undefined>, done: (queryId: number) => void) {
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const busy = useRef(false);
  const submit = async (event?: Event) => {
    event?.preventDefault();
    if (busy.current) return;
    busy.current = true;
    setBusy(true);
    setError(undefined);
    try {
      const accepted = await send();
      if (accepted) done(accepted.queryId);
    } catch (problem) {
      setError(problem as Error);
    } finally {
      busy.current = false;
      setBusy(false);
    }
  };
  return { submit, error, isBusy };
}
