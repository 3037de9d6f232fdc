/** A call of the API as a shell command and as a program. */
import { useEffect, useState } from "preact/hooks";
import type { ConsoleConfig } from "../../../../contract/extension";
import { defaultHeaderPrefix, defaultScheme, stringToSign } from "../../../../contract/string-to-sign";
import { settings } from "../../api/client";
import { endpoint } from "../../api/session";
import { CopyButton } from "../../components/parts";
import { pageStrings } from "../../page-strings";

/** The call that the form describes. */
interface DescribedCall {
  readonly operation: string;
  readonly method: string;
  /** Path and query string. */
  readonly target: string;
  /** JSON; undefined for an operation without a body. */
  readonly body: string | undefined;
  /** Parameters of the path and of the query string that have a value. */
  readonly parameters: Readonly<Record<string, string | number | boolean | readonly string[]>>;
}

export function Snippets({ call }: { readonly call: DescribedCall }) {
  const [config, setConfig] = useState<ConsoleConfig>({ scheme: defaultScheme, headerPrefix: defaultHeaderPrefix });
  useEffect(() => void settings().then(setConfig, () => undefined), []);
  return (
    <>
      <Snippet name="curl" text={curlSnippet(call, config)} />
      <Snippet name="TypeScript" text={typescriptSnippet(call, config)} />
    </>
  );
}

function Snippet({ name, text }: { readonly name: string; readonly text: string }) {
  return (
    <details class="snippet">
      <summary>{name}</summary>
      <div class="snippet-body">
        <pre class="code" tabIndex={0} role="region" aria-label={name}>
          {text}
        </pre>
        <CopyButton text={text} name={pageStrings.api.copySnippet(name)} />
      </div>
    </details>
  );
}

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;

function curlSnippet({ method, target, body }: DescribedCall, { scheme }: ConsoleConfig): string {
  const verb = method.toUpperCase();
  const contentType = body === undefined ? undefined : "application/json";
  const lines = stringToSign({ method: verb, target, contentType, date: "$date" }).split("\n");
  const text = lines.map((line) => (line === "$date" ? '"$date"' : quoted(line))).join(" ");
  const headers = [
    '-H "Date: $date"',
    `-H "Authorization: ${scheme} $DAG_ACCESS_KEY_ID:$signature"`,
    ...(contentType === undefined ? [] : [`-H ${quoted(`Content-Type: ${contentType}`)}`]),
  ];
  const data = body === undefined ? [] : [`--data-raw ${quoted(body)}`];
  return [
    `date=$(LC_ALL=C TZ=GMT date '+%a, %d %b %Y %H:%M:%S GMT')`,
    `text=$(printf '%s\\n' ${text})`,
    `signature=$(printf '%s' "$text" | openssl dgst -sha1 -hmac "$DAG_SECRET_ACCESS_KEY" -binary | base64)`,
    [`curl -X ${verb} ${quoted(endpoint + target)}`, ...headers, ...data].join(" \\\n  "),
  ].join("\n");
}

function typescriptSnippet({ operation, body, parameters }: DescribedCall, { scheme }: ConsoleConfig): string {
  const values = { ...parameters, ...bodyValues(body) };
  const request = Object.keys(values).length === 0 ? "" : JSON.stringify(values, null, 2);
  return `import { Client } from "pulumi-dag/client";

const client = new Client({
  endpoint: ${JSON.stringify(endpoint)},
  accessKeyId: process.env.DAG_ACCESS_KEY_ID!,
  secretAccessKey: process.env.DAG_SECRET_ACCESS_KEY!,${scheme === defaultScheme ? "" : `\n  signatureScheme: ${JSON.stringify(scheme)},`}
});
console.log(await client.${operation}(${request}));
await client.close();`;
}

/** The fields of a body; none while it is no JSON. */
function bodyValues(body: string | undefined): object {
  try {
    return JSON.parse(body ?? "{}") as object;
  } catch {
    return {};
  }
}
