/** The outputs that mocked resources have. */
import type { Output } from "@pulumi/pulumi";
import type {
  ClusterLogExportOutputs,
  ClusterRestartOutputs,
  SelectQueryOutputs,
  SplitTableOutputs,
} from "../dynamic/types";
import { mockTime } from "./functions";

type Values<Outputs> = { readonly [Key in keyof Outputs]?: Outputs[Key] extends Output<infer Value> ? Value : never };

/** Outputs of one resource. */
export type ResourceOutputs =
  | Values<SelectQueryOutputs>
  | Values<SplitTableOutputs>
  | Values<ClusterRestartOutputs>
  | Values<ClusterLogExportOutputs>;

type Inputs = Readonly<Record<string, unknown>>;

/** A resource that the program creates or, with an id, looks up. */
interface Request {
  readonly name: string;
  readonly id: string | undefined;
  readonly inputs: Inputs;
}

interface Resource {
  readonly id: string;
  readonly state: Inputs;
}

/** Returns a function that makes the resources of one program. */
export function mockResources(): (kind: string, request: Request) => Resource {
  let queries = 0;
  return (kind, request) => {
    const queryId = () => (/^\d+$/.test(request.id ?? "") ? Number(request.id) : (queries += 1));
    const make = kinds[kind];
    if (!make) throw new Error(`pulumi-dag has no resource ${kind}: use ${Object.keys(kinds).join(", ")}`);
    return make(request, queryId);
  };
}

const kinds: Readonly<Record<string, (request: Request, queryId: () => number) => Resource>> = {
  SelectQuery({ name, inputs }, queryId) {
    const path = folder(inputs["outputResourcePath"] ?? `dag://results/${name}/`);
    const rows = Number(inputs["resultRows"] ?? 0) > 0 ? { rows: [] } : {};
    const state = { query: "SELECT 1", outputResourcePath: path, stage: 1, log: "finished\n", location: path };
    return query(queryId(), { ...state, ...inputs, result: { objects: [object(path)], ...rows } });
  },

  SplitTable({ name, inputs }, queryId) {
    const database = inputs["outputDatabase"] ?? "default";
    const table = inputs["outputTable"] ?? `${name.toLowerCase().replace(/[^a-z0-9_]/g, "_")}_0000000`;
    const location = `dag://${String(database)}/${String(table)}/`;
    const state = { inputObjectKeys: [], schema: "string c0", outputDatabase: database, outputTable: table, location };
    const qualifiedName = `${String(database)}.${String(table)}`;
    return query(queryId(), { ...state, ...inputs, qualifiedName, result: { objects: [object(location)] } });
  },

  ClusterRestart({ id, inputs }) {
    const clusterName = id || inputs["clusterName"] || "demo";
    const state = { clusterName, type: "duckdb", debug: false, ...inputs, status: "norm", restartedAt: mockTime };
    return { id: String(clusterName), state };
  },

  ClusterLogExport({ id = "", inputs }) {
    const [clusterName = "demo", ...path] = id.split("/");
    const location = folder(inputs["outputLogPath"] ?? (path.length > 0 ? path.join("/") : "dag://logs/demo/"));
    const state = { clusterName: clusterName || "demo", outputLogPath: location, ...inputs };
    const result = { objects: [{ location: `${location}cluster.log`, size: 64 }] };
    return {
      id: id || `${String(state.clusterName)}/${location}`,
      state: { ...state, location, exportedAt: mockTime, result },
    };
  },
};

function query(queryId: number, values: Inputs): Resource {
  const record = {
    queryId,
    status: "finished",
    progress: "100%",
    startTime: "2026-01-01 00:00:00",
    accessKeyId: "MOCK",
  };
  return { id: String(queryId), state: { clusterName: "demo", ...values, ...record } };
}

function object(location: string) {
  return { location: `${location}000000_0`, size: 64 };
}

function folder(path: unknown): string {
  const text = String(path);
  return text.endsWith("/") ? text : `${text}/`;
}
