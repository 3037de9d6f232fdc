/** A statement that runs until the test lets it end, however fast the machine is. */

/** Its table, as the setting `tables` declares it, and the location of the table's object. */
export const gateTable = '{database: data, table: gate, schema: "bigint n"}';
export const gateObject = "dag://data/gate/n.csv";

/** Content of the object: with the first, the statement runs longer than any test; with the second, it ends at once. */
export const gateContent = { closed: "20000\n", open: "0\n" } as const;

/** Needs the table `data.numbers`, too. Its result is one row. */
export const gated =
  "select count(*) n from data.gate g cross join data.numbers a cross join data.numbers b cross join data.numbers c where a.n < g.n";
