/** Tests of the check of tables and columns before anything runs. */
import { createServer, request, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import type { TestService } from "../../../service/testing";
import { diagnostics, queriesOf, startService, TestStack, type Run } from "../provider/harness";
import { frontEndOfToday, type FrontEnd } from "./front-ends";

const messagesOf = (run: Run, severity: string) =>
  diagnostics(run)
    .filter((each) => each.severity === severity)
    .map(({ message }) => message);
const errorsOf = (run: Run) => messagesOf(run, "error").join("\n");
/** Warnings about the statement. The CLI has warnings of its own. */
const warningsOf = (run: Run) => messagesOf(run, "warning").filter((text) => /column|query may not run/.test(text));

describe.each(frontEndOfToday(1))("columns, $name", ({ table, query, reading }) => {
  let service: TestService;
  let stack: TestStack;

  beforeAll(async () => {
    service = await startService({
      objects: {
        "dag://raw/sales.csv": "2026-01-01,5\n2026-01-02,7\n",
        "dag://shop/orders/a.csv": "day,total,customer\n2026-01-01,5,ann\n",
        "dag://shop/stores/a.csv": "1,Oslo\n",
        "dag://raw/cities.csv": "city,people\nOslo,7\nRome,9\n",
      },
      buckets: ["results"],
      tables: [{ database: "shop", table: "stores", format: "csv", schema: "int id, string city" }],
    });
    stack = await TestStack.create(service);
  });
  afterAll(async () => {
    await stack?.[Symbol.asyncDispose]();
    await service?.close();
  });

  const sales = (schema?: string) =>
    table("sales", {
      clusterName: "demo",
      inputObjectKeys: ["dag://raw/sales.csv"],
      outputDatabase: "shop",
      outputTable: "sales",
      deletionPolicy: "purge",
      ...(schema !== undefined && { schema }),
    });
  const select = (label: string, statement: string, reads: Parameters<FrontEnd["reading"]> = []) =>
    query(
      label,
      { clusterName: "demo", query: statement, outputResourcePath: `dag://results/${label}/`, resultRows: 5 },
      reading(...reads),
    );
  const schema = "date day, bigint amount";

  describe("a preview knows the tables", () => {
    test("preview: a misspelt column of a table of the program fails it, with its position and the nearest name", async () => {
      stack.program = () => {
        select("daily", "SELECT day,\n  sum(amont) AS amount FROM shop.sales GROUP BY day", [sales(schema)]);
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain(
        "query cannot run: line 2, column 7: column amont does not exist; did you mean `amount`? The columns are day, amount",
      );
      expect(errorsOf(run)).toContain("  sum(amont) AS amount FROM");
    });

    test("preview: a misspelt column of a table of the service fails it", async () => {
      stack.program = () => {
        select("orders", "SELECT o.totl FROM shop.orders o");
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain("line 1, column 10: column o.totl does not exist; did you mean `total`?");
    });

    test("preview: a misspelt column of another query's result fails it", async () => {
      stack.program = () => {
        const totals = query("totals", {
          clusterName: "demo",
          query: "SELECT customer, sum(total) AS total FROM shop.orders GROUP BY customer",
          outputResourcePath: "dag://shop/totals/",
        });
        select("best", "SELECT custmer FROM shop.totals ORDER BY total", [totals]);
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain("column custmer does not exist; did you mean `customer`?");
    });

    test("preview: a misspelt column beside a table that does not exist yet fails it, by the config's columns", async () => {
      stack.program = () => {
        select("join", "SELECT s.amount, t.cty FROM shop.sales s JOIN shop.stores t ON s.amount = t.id", [
          sales(schema),
        ]);
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain("column t.cty does not exist; did you mean `city`?");
    });

    test("preview: a secret statement is not quoted", async () => {
      const { secret } = await import("@pulumi/pulumi");
      stack.program = () => {
        query("hidden", {
          clusterName: "demo",
          query: secret("SELECT totl FROM shop.orders"),
          outputResourcePath: "dag://results/h/",
        });
      };
      const run = await stack.preview();
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain("line 1, column 8 (the statement is secret and not shown)");
      expect(errorsOf(run)).not.toContain("totl");
    });

    test("preview: columns that nothing tells yet are a warning, which says how to tell them", async () => {
      stack.program = () => {
        select("daily", "SELECT anything FROM shop.sales", [sales()]);
        select("all", "SELECT * FROM shop.sales");
      };
      const run = await stack.preview();
      expect(run.ok, run.text).toBe(true);
      expect(warningsOf(run).filter((text) => text.includes("the columns of shop.sales are known when"))).toHaveLength(
        1,
      );
    });

    test("preview: a table that the service does not have is a warning with the program's nearest name", async () => {
      stack.program = () => {
        // The name is only near to a table that this run knows.
        const statement = sales(schema).urn.apply(() => "SELECT day FROM shop.saless");
        query("daily", { clusterName: "demo", query: statement, outputResourcePath: "dag://results/daily/" });
      };
      const run = await stack.preview();
      expect(run.ok, run.text).toBe(true);
      expect(warningsOf(run).join("\n")).toMatch(/table "shop\.saless" does not exist.*did you mean `shop\.sales`\?/);
    });

    test("up: a misspelt column runs nothing and keeps the stack's outputs", async () => {
      let column = "amount";
      stack.program = () => {
        const daily = select("daily", `SELECT day, ${column} FROM shop.sales`, [sales(schema)]);
        const orders = select("orders", "SELECT count(*) AS n FROM shop.orders");
        return { rows: daily.result.apply((found) => found?.rows), orders: orders.queryId, fixed: "text" };
      };
      const first = await stack.up();
      expect(first.ok, first.text).toBe(true);
      expect(warningsOf(first)).toEqual([]);
      expect(first.outputs["rows"]).toHaveLength(2);
      const before = await queriesOf(service);
      column = "amont";
      const second = await stack.up();
      expect(second.ok).toBe(false);
      expect(errorsOf(second)).toContain("did you mean `amount`?");
      expect(await queriesOf(service)).toHaveLength(before.length);
      expect(messagesOf(second, "info").join("")).toMatch(/cluster demo: .*1 refused/);
      expect(second.outputs).toEqual(first.outputs);
      column = "amount";
      const third = await stack.up();
      expect(third.changes, third.text).toMatchObject({ same: 3 });
      expect((await stack.destroy()).ok).toBe(true);
    });
  });

  test("up: a schema that the program leaves out makes the table again", async () => {
    const program = (given: object) => () => {
      const cities = table("cities", {
        clusterName: "demo",
        inputObjectKeys: ["dag://raw/cities.csv"],
        outputDatabase: "shop",
        outputTable: "cities",
        deletionPolicy: "purge",
        ...given,
      });
      const count = select("count", "SELECT count(*) AS n FROM shop.cities", [cities]);
      return { rows: count.result.apply((result) => result?.rows) };
    };
    stack.program = program({ schema: "string name, string people" });
    // The first row is the names of other columns, and data.
    expect((await stack.up()).outputs["rows"]).toEqual([["3"]]);
    stack.program = program({});
    expect((await stack.up()).outputs["rows"]).toEqual([["2"]]);
  });

  describe("a service that has only the API", () => {
    let proxy: Server;
    let other: TestStack;

    beforeAll(async () => {
      proxy = await apiOnly(service.url);
      const { port } = proxy.address() as AddressInfo;
      other = await TestStack.create({ ...service, url: `http://127.0.0.1:${port}` });
    });
    afterAll(async () => {
      await other?.[Symbol.asyncDispose]();
      proxy?.close();
    });

    test("preview: checks the schemas of the program, and says nothing of other tables", async () => {
      other.program = () => {
        select("orders", "SELECT totl FROM shop.orders");
        select("stores", "SELECT cty FROM shop.stores");
      };
      const silent = await other.preview();
      expect(silent.ok, silent.text).toBe(true);
      expect(warningsOf(silent)).toEqual([]);
      other.program = () => {
        select("daily", "SELECT amont FROM shop.sales", [sales(schema)]);
      };
      const run = await other.preview();
      expect(run.ok).toBe(false);
      expect(errorsOf(run)).toContain("did you mean `amount`?");
    });

    test("preview: a service that cannot be reached is one warning", async () => {
      await other.stack.setConfig("dag:endpoint", { value: "http://127.0.0.1:1" });
      for (const statement of ["SELECT totl FROM shop.orders", "SELECT 1"]) {
        other.program = () => {
          for (const label of ["a", "b", "c"]) select(label, statement);
        };
        const run = await other.preview();
        expect(run.ok, run.text).toBe(true);
        expect(messagesOf(run, "warning")).toEqual([
          expect.stringMatching(/"pulumi up" will fail as things are: .*cannot connect/),
        ]);
      }
    });
  });
});

/** Passes the API on, and answers 404 to all other paths, as a service without a console does. */
async function apiOnly(url: string): Promise<Server> {
  const server = createServer((incoming, outgoing) => {
    if (!incoming.url!.startsWith("/v1/")) {
      outgoing.writeHead(404, { "content-type": "text/html" }).end("<html>not found</html>");
      return;
    }
    const { method, headers } = incoming;
    const onward = request(url + incoming.url!, { method: method!, headers }, (answer) => {
      outgoing.writeHead(answer.statusCode!, answer.headers);
      answer.pipe(outgoing);
    });
    incoming.pipe(onward);
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return server;
}
