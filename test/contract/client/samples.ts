/** Sample requests and responses for the client tests. */
import { expect } from "vitest";
import { systemClock, type Client, type ClientError } from "../../../provider/client";
import { answer } from "./misbehaving-server";

export const cluster = {
  name: "c1",
  status: "norm",
  type: "duckdb",
  instances: [{ grade: "g1", quantity: 5 }],
  debug: false,
};
export const select = { clusterName: "c1", query: "SELECT 1", outputResourcePath: "dag://results/a/" };
export const okCluster = answer(200, cluster);
export const accepted = answer(202, { queryId: 7 });

export const getCluster = (client: Client) => client.getCluster({ clusterName: "c1" });

/** Returns the error of a call. */
export const caught = (work: Promise<unknown>): Promise<ClientError> =>
  work.then(
    (value) => expect.fail(`it succeeded with ${JSON.stringify(value)}`),
    (error: ClientError) => error,
  );

/** A clock with nearly no delay between attempts, except for Retry-After. */
export const hasty = { ...systemClock, random: () => 0.001 };
