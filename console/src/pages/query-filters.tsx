/** The filters of the list of queries, which are in the address. */
import { useEffect, useState } from "preact/hooks";
import { queryStatuses, queryTypes } from "../../../contract/values";
import { call } from "../api/client";
import { usePoll } from "../api/poll";
import { go } from "../router";
import { strings } from "../strings";
import type { QueryFilters } from "./query-list";

export function Filters({ filters }: { readonly filters: QueryFilters }) {
  const text = strings.queries;
  const clusters = usePoll(
    (signal) => call("listClusters", { parameters: { order: "asc" }, signal }).then((page) => page.clusters),
    30_000,
    "clusters",
  ).value;
  const change = (values: Partial<QueryFilters>) =>
    go("/queries", parametersOf({ ...filters, stale: "", ...values }), true);
  // Only a phone hides them; those that are set are shown there too.
  const [isOpen, setOpen] = useState(() => {
    const { labelPrefix, text: typed, from, to, sort } = filters;
    return labelPrefix + typed + from + to + sort !== "";
  });
  const names = new Set(
    [...(clusters ?? []).map(({ name }) => name), filters.clusterName].filter((name) => name !== ""),
  );
  return (
    <form class="filters" role="search" aria-label={text.filterLabel} onSubmit={(event) => event.preventDefault()}>
      <div class="segments" role="group" aria-label={text.status}>
        {["", ...queryStatuses].map((status) => (
          <button
            key={status}
            type="button"
            aria-pressed={filters.status === status && filters.stale === ""}
            onClick={() => change({ status, stale: "" })}
          >
            {status === "" ? text.all : strings.status[status]}
          </button>
        ))}
        <button
          type="button"
          aria-pressed={filters.stale !== ""}
          onClick={() => go("/queries", { stale: "true" }, true)}
        >
          {strings.lineage.staleOnly}
        </button>
      </div>
      <select
        aria-label={text.cluster}
        value={filters.clusterName}
        onChange={(event) => change({ clusterName: event.currentTarget.value })}
      >
        <option value="">{text.anyCluster}</option>
        {[...names].map((name) => (
          <option key={name} value={name}>
            {name}
          </option>
        ))}
      </select>
      <select
        aria-label={text.type}
        value={filters.type}
        onChange={(event) => change({ type: event.currentTarget.value })}
      >
        <option value="">{text.anyType}</option>
        <option value="select">{text.select}</option>
        <option value="split">{text.split}</option>
      </select>
      <button type="button" class="button more-toggle" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
        {text.moreFilters}
      </button>
      <div class={isOpen ? "more-filters open" : "more-filters"}>
        <TextFilter
          name={text.label}
          hint={text.labelPlaceholder}
          value={filters.labelPrefix}
          onChange={(labelPrefix) => change({ labelPrefix })}
        />
        <TextFilter
          name={text.statement}
          hint={text.statement}
          value={filters.text}
          onChange={(typed) => change({ text: typed })}
        />
        {(["from", "to"] as const).map((name) => (
          <label class="date" key={name}>
            {text[name]}
            <input
              type="date"
              value={filters[name]}
              {...(name === "from" ? { max: filters.to } : { min: filters.from })}
              onChange={(event) => change({ [name]: event.currentTarget.value })}
            />
          </label>
        ))}
        <select
          aria-label={text.order}
          value={filters.sort}
          onChange={(event) => change({ sort: event.currentTarget.value })}
        >
          <option value="">{text.newest}</option>
          <option value="duration">{text.longest}</option>
        </select>
      </div>
    </form>
  );
}

interface TextFilterProps {
  readonly name: string;
  readonly hint: string;
  readonly value: string;
  readonly onChange: (value: string) => void;
}

/** Waits until the user has paused, so that not every letter is a request. */
function TextFilter({ name, hint, value, onChange }: TextFilterProps) {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => onChange(typed), 300);
    return () => clearTimeout(timer);
  }, [typed]);
  return (
    <input
      type="search"
      aria-label={name}
      placeholder={hint}
      value={typed}
      onInput={(event) => setTyped(event.currentTarget.value)}
    />
  );
}

const none: QueryFilters = {
  status: "",
  clusterName: "",
  type: "",
  labelPrefix: "",
  text: "",
  from: "",
  to: "",
  sort: "",
  stale: "",
};

/** The names in the address are short, because people read and share it. */
export function filtersOf(parameters: URLSearchParams): QueryFilters {
  const given = (name: string) => {
    const value = parameters.get(name) ?? "";
    return isKnown(name, value) ? value : "";
  };
  if (given("stale") === "true") return { ...none, stale: "true" };
  return {
    status: given("status"),
    clusterName: given("cluster"),
    type: given("type"),
    labelPrefix: given("label"),
    text: given("text"),
    from: given("from"),
    to: given("to"),
    sort: given("sort"),
    stale: "",
  };
}

/** The values of the filters that do not take any; a day has none. */
const knownValues: Readonly<Record<string, readonly string[]>> = {
  status: queryStatuses,
  type: queryTypes,
  sort: ["duration"],
  stale: ["true"],
  from: [],
  to: [],
};

function isKnown(name: string, value: string): boolean {
  const known = knownValues[name];
  if (value === "" || known === undefined) return true;
  if (known.length > 0) return known.includes(value);
  return /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value));
}

/** Says which filters of the address are ignored, because their value is not known; undefined when none is. */
export function unknownFilters(parameters: URLSearchParams): string | undefined {
  const text = strings.queries;
  const unknown = Object.entries(knownValues).flatMap(([name, known]) => {
    const value = parameters.get(name) ?? "";
    return isKnown(name, value)
      ? []
      : text.unknownFilter(
          name,
          value,
          name === "status" ? `${known.join(", ")}, or stale=true` : known.join(", ") || text.day,
        );
  });
  return unknown.length === 0 ? undefined : unknown.join(" ");
}

function parametersOf({ clusterName, labelPrefix, ...same }: QueryFilters): Record<string, string> {
  const { status, ...rest } = same;
  return { status, cluster: clusterName, label: labelPrefix, ...rest };
}
