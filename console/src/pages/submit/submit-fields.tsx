/** What the forms of a select and of a split share. */
import { useEffect } from "preact/hooks";
import { call, ConnectionLost } from "../../api/client";
import { isSame, repeatableUntil, type Pending } from "../../api/kept-request";
import { usePoll } from "../../api/poll";
import { Icon } from "../../components/icon";
import { Problem } from "../../components/notice";
import { hourAndMinute } from "../../format";
import { pageStrings } from "../../page-strings";
import { attemptOf } from "./submission";

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
  disabled,
}: {
  readonly value: string;
  readonly disabled: boolean;
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
      <select required disabled={disabled} value={value} onChange={(event) => onChange(event.currentTarget.value)}>
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
 * Says why the last submission of a form failed, or that its answer was lost and what the user can do.
 * @param run the name of the button that submits
 */
export function SubmissionProblem({
  owner,
  pending,
  request,
  run,
}: {
  readonly owner: string;
  readonly pending: Pending<object> | undefined;
  /** What the form would send now. */
  readonly request: object;
  readonly run: string;
}) {
  const { isBusy, question, error } = attemptOf(owner);
  if (isBusy || question) return null;
  return (
    <>
      {pending && <Unanswered until={isSame(pending.body, request) ? repeatableUntil(pending) : undefined} run={run} />}
      {error && !(pending && error instanceof ConnectionLost) && <Problem error={error} />}
    </>
  );
}

/** @param until until when the same request can be sent again */
function Unanswered({ until, run }: { readonly until: number | undefined; readonly run: string }) {
  const text = pageStrings.submit;
  return (
    <div class="problem" role="alert">
      <Icon name="alert" />
      <div>
        <p>
          <strong>{text.unanswered}</strong>
        </p>
        <p>{until === undefined ? text.lookFirst : text.sendAgain(run, hourAndMinute(until))}</p>
      </div>
    </div>
  );
}
