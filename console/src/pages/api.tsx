/** The reference of the API, from its OpenAPI description; every operation can be called from here. */
import { useRef, useState } from "preact/hooks";
import { exchange, fetchFrom } from "../api/client";
import { keptRequest, type Pending } from "../api/kept-request";
import { usePoll } from "../api/poll";
import { endpoint } from "../api/session";
import { Icon } from "../components/icon";
import { Problem } from "../components/notice";
import { Prose, useTitle } from "../components/parts";
import { pageStrings } from "../page-strings";
import { strings } from "../strings";
import { Snippets } from "./submit/snippets";

interface Parameter {
  readonly name: string;
  readonly in: "path" | "query" | "header";
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: { readonly type?: string };
}

interface OperationObject {
  readonly operationId: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly requestBody?: { readonly content: { readonly "application/json": { readonly example?: object } } };
  readonly responses: Readonly<Record<string, { readonly description: string }>>;
}

interface Description {
  readonly info: { readonly description: string };
  readonly paths: Readonly<Record<string, Readonly<Record<string, OperationObject>>>>;
  readonly components: { readonly securitySchemes: { readonly signature: { readonly description: string } } };
}

export function ApiPage() {
  const text = pageStrings.api;
  useTitle(text.title);
  const { value, error, refresh } = usePoll(
    async (signal) => (await (await fetchFrom("/console/openapi.json", {}, signal)).json()) as Description,
    0,
    "openapi",
  );
  const all = Object.entries(value?.paths ?? {}).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
  );
  return (
    <section class="api-page">
      <div class="page-head">
        <h1>{text.title}</h1>
        <a class="button" href={`${endpoint}/console/openapi.json`} download="openapi.json">
          <Icon name="download" /> {text.download}
        </a>
      </div>
      <p class="muted">{text.intro}</p>
      {error && <Problem error={error} retry={refresh} />}
      {!value && !error && <p class="loading">{strings.shell.loading}</p>}
      {value && (
        <details class="panel operation">
          <summary>
            <strong>{text.signature}</strong>
          </summary>
          <div class="operation-body">
            <pre class="code">{value.components.securitySchemes.signature.description}</pre>
          </div>
        </details>
      )}
      {all.map((each) => (
        <Operation key={each.operation.operationId} {...each} />
      ))}
    </section>
  );
}

interface OperationProps {
  readonly path: string;
  readonly method: string;
  readonly operation: OperationObject;
}

function Operation({ path, method, operation }: OperationProps) {
  const [isOpen, setOpen] = useState(false);
  return (
    <details class="panel operation" onToggle={(event) => setOpen(event.currentTarget.open)}>
      <summary>
        <span class={`method ${method}`}>{method.toUpperCase()}</span>
        <code class="break">{path}</code>
        <strong>{operation.operationId}</strong>
        <span class="muted">
          <Prose text={operation.description} />
        </span>
      </summary>
      {isOpen && <OperationBody path={path} method={method} operation={operation} />}
    </details>
  );
}

/** The answer of a call from the page. */
interface Outcome {
  readonly status: string;
  readonly body: string;
}

function OperationBody({ path, method, operation }: OperationProps) {
  const text = pageStrings.api;
  const { parameters, requestBody, responses, operationId } = operation;
  const given = parameters.filter((parameter) => parameter.in !== "header");
  const [values, setValues] = useState<Readonly<Record<string, string>>>({});
  const [body, setBody] = useState(() =>
    JSON.stringify(requestBody?.content["application/json"].example ?? {}, null, 2),
  );
  const [outcome, setOutcome] = useState<Outcome>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  /** The request whose answer was lost. */
  const pending = useRef<Pending<object>>(undefined);
  const send = async (event: Event) => {
    event.preventDefault();
    setBusy(true);
    setError(undefined);
    setOutcome(undefined);
    try {
      const target = targetOf(path, given, values);
      // A browser sends a request again by itself when a kept connection ends.
      const sent = requestBody && (await keptRequest({ target, body }, pending.current));
      pending.current = sent;
      const answer = await exchange(method.toUpperCase(), target, requestBody && body, undefined, undefined, sent?.key);
      pending.current = undefined;
      setOutcome({ status: `${answer.status} ${answer.statusText}`, body: pretty(await answer.text()) });
    } catch (problem) {
      setError(problem as Error);
    } finally {
      setBusy(false);
    }
  };
  return (
    <form class="operation-body" onSubmit={send}>
      {given.length > 0 && (
        <div class="field-row">
          {given.map(({ name, required, description }) => (
            <label class="field" key={name} title={description}>
              <span>
                {name} {required && <small class="muted">{text.required}</small>}
              </span>
              <input
                required={required}
                spellcheck={false}
                value={values[name] ?? ""}
                onInput={(event) => setValues({ ...values, [name]: event.currentTarget.value })}
              />
              <small class="muted">
                <Prose text={description ?? ""} />
              </small>
            </label>
          ))}
        </div>
      )}
      {requestBody && (
        <label class="field">
          <span>{text.body}</span>
          <textarea
            rows={Math.min(14, body.split("\n").length + 1)}
            spellcheck={false}
            value={body}
            onInput={(event) => setBody(event.currentTarget.value)}
          />
        </label>
      )}
      <div class="dialog-actions">
        {method !== "get" && <span class="muted">{text.changes}</span>}
        <button type="submit" class="button primary" disabled={isBusy} aria-label={`${text.send} ${operationId}`}>
          {isBusy ? text.sending : text.send}
        </button>
      </div>
      {error && <Problem error={error} />}
      {error && pending.current?.key !== undefined && <p>{pageStrings.mayBeDone(text.send)}</p>}
      {outcome && (
        <div role="status">
          <p>
            <strong>{outcome.status}</strong>
          </p>
          <pre class="code" tabIndex={0} role="region" aria-label={text.response}>
            {outcome.body === "" ? text.none : outcome.body}
          </pre>
        </div>
      )}
      <Snippets
        call={{
          operation: operationId,
          method,
          target: targetOf(path, given, values),
          body: requestBody && body,
          parameters: typedValues(given, values),
        }}
      />
      <details>
        <summary>{text.errors}</summary>
        <dl class="responses">
          {Object.entries(responses).map(([status, { description }]) => (
            <div class="fact" key={status}>
              <dt>{status}</dt>
              <dd>{description}</dd>
            </div>
          ))}
        </dl>
      </details>
    </form>
  );
}

/** Fills the path, as far as it has values, and appends the parameters that have a value. */
function targetOf(path: string, parameters: readonly Parameter[], values: Readonly<Record<string, string>>): string {
  const filled = path.replace(/\{(\w+)\}/g, (name, key: string) => encodeURIComponent(values[key] ?? "") || name);
  const query = parameters
    .filter(({ in: place, name }) => place === "query" && (values[name] ?? "") !== "")
    .map(({ name }) => `&${name}=${encodeURIComponent(values[name]!)}`);
  return filled + query.join("");
}

/** Returns the parameters that have a value, as a program gives them. */
function typedValues(parameters: readonly Parameter[], values: Readonly<Record<string, string>>) {
  const given = parameters.filter(({ name }) => (values[name] ?? "") !== "");
  return Object.fromEntries(
    given.map(({ name, schema }) => {
      const value = values[name]!;
      if (schema?.type === "integer") return [name, Number(value)];
      if (schema?.type === "boolean") return [name, value === "true"];
      return [name, schema?.type === "array" ? value.split(",") : value];
    }),
  );
}

function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
