/** Lines of a query's log that callers look for. */

/** A split with a schema whose first row has the names of the schema's columns: no row is a header then. */
export const headerRowWarning =
  "warning: the first row has the names of the schema's columns, and is read as data: with a schema no row is a " +
  "header; remove the row from the input, or omit the schema";
