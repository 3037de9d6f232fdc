/** Generates expressions: literals, columns, operators and every scalar function, of any family and depth. */
import fc from "fast-check";
import { comparableFamilies } from "./comparable-families.mts";
import { literals } from "./literals.mts";
import { columnLiterals, type Family, type Table } from "./tables.mts";
import { list, type Term, term, raw } from "./term.mts";
import { type Callable, type DescribedParameter, parameterFamilies, writeCall } from "./callables.mts";

/** The tables whose columns an expression may use. */
export interface Scope {
  /** Tables with the prefix of their columns, such as `a.`; the prefix is empty for unqualified names. */
  readonly tables: readonly { readonly prefix: string; readonly table: Table }[];
}

export interface Expressions {
  /** An expression of a family, with at most `depth` nested operators and functions. */
  readonly of: (family: Family, depth: number) => fc.Arbitrary<Term>;
  /** An expression of any family. */
  readonly any: (depth: number) => fc.Arbitrary<Term>;
  /** A boolean expression: a comparison, a logical operator or another predicate. */
  readonly condition: (depth: number) => fc.Arbitrary<Term>;
  /** A column or a literal of a family. */
  readonly leaf: (family: Family) => fc.Arbitrary<Term>;
  /** Arguments for a function. */
  readonly argumentsOf: (callable: Callable, depth: number) => fc.Arbitrary<Term[]>;
  readonly call: (callable: Callable, depth: number) => fc.Arbitrary<Term>;
}

const castTypes: Readonly<Partial<Record<Family, readonly string[]>>> = {
  integer: ["tinyint", "smallint", "int"],
  bigint: ["bigint"],
  decimal: [
    "decimal(10,2)",
    "decimal(38,18)",
    "decimal(5,0)",
    "decimal(4,4)",
    "decimal(38,0)",
    "decimal(20,10)",
    "decimal(38,37)",
    "decimal(3,1)",
  ],
  double: ["float", "double"],
  text: ["string", "varchar(3)"],
  boolean: ["boolean"],
  date: ["date"],
  timestamp: ["timestamp"],
  binary: ["binary"],
};
const casts = Object.entries(castTypes) as [Family, readonly string[]][];
const smallNumbers = ["0", "1", "2", "3", "-1", "5"];
const patterns = ["'a%'", "'%b%'", "'_b%'", "'%'", "''", "'1%'", "'%o w%'", String.raw`'\\%a\\_'`];
const javaPatterns = ["'^a'", "'[a-c]+$'", "'.*'", "'b|1'", String.raw`'\\d+'`, "''"];

/** Returns the generators of expressions over the functions and a scope. */
export function expressionsOver(functions: readonly Callable[], scope: Scope): Expressions {
  const scalars = functions.filter(({ kind }) => kind === "scalar");
  const made = new Map<string, fc.Arbitrary<Term>>();
  const once = (key: string, make: () => fc.Arbitrary<Term>) => {
    const known = made.get(key) ?? make();
    made.set(key, known);
    return known;
  };

  const leaf = (family: Family) =>
    once(`leaf ${family}`, () => {
      const columns = scope.tables.flatMap(({ prefix, table }) =>
        table.columns
          .filter((column) => column.family === family)
          .map(({ name }) => raw(`${prefix}${name}`, columnLiterals(table, name))),
      );
      const values = literals[family].map((text) => raw(text));
      if (columns.length === 0) return fc.constantFrom(...values);
      return fc.oneof(
        { arbitrary: fc.constantFrom(...columns), weight: 3 },
        { arbitrary: fc.constantFrom(...values), weight: 2 },
      );
    });

  const of = (family: Family, depth: number): fc.Arbitrary<Term> =>
    once(`${family} ${depth}`, () =>
      depth <= 0
        ? leaf(family)
        : fc.oneof({ arbitrary: leaf(family), weight: 3 }, { arbitrary: compound(family, depth - 1), weight: 5 }),
    );

  const oneOf = (families: readonly Family[], depth: number) =>
    once(`${families.join()} ${depth}`, () => fc.oneof(...families.map((family) => of(family, depth))));

  const argument = ({ takes, texts, bounded }: DescribedParameter, depth: number): fc.Arbitrary<Term> => {
    const families = parameterFamilies[takes];
    const isNumber = takes === "int" || takes === "bigint" || takes === "constant int";
    if (bounded && isNumber) return fc.constantFrom(...smallNumbers.map((text) => raw(text)));
    const described = texts.map((text) => raw(text));
    if (takes.startsWith("constant")) {
      const values = families.flatMap((family) => literals[family].map((text) => raw(text)));
      return described.length > 0
        ? fc.oneof({ arbitrary: fc.constantFrom(...described), weight: 9 }, fc.constantFrom(...values))
        : fc.constantFrom(...values);
    }
    const value = oneOf(families, depth);
    return described.length > 0 && takes !== "double" ? fc.oneof(value, fc.constantFrom(...described)) : value;
  };

  const argumentsOf = ({ parameters, optional, variadic }: Callable, depth: number): fc.Arbitrary<Term[]> => {
    const counts = Array.from({ length: optional + 1 }, (_unused, index) => parameters.length - index);
    const more = variadic ? [parameters.length + 1, parameters.length + 2] : [];
    return fc
      .constantFrom(...counts, ...more)
      .chain((count) =>
        fc.tuple(
          ...Array.from({ length: count }, (_unused, index) =>
            argument(parameters[Math.min(index, parameters.length - 1)] as DescribedParameter, depth),
          ),
        ),
      );
  };

  const call = (callable: Callable, depth: number) =>
    argumentsOf(callable, depth).map((values) => writeCall(callable.name, values));

  const compound = (family: Family, depth: number): fc.Arbitrary<Term> => {
    const giving = scalars
      .filter(({ resultFamily }) => resultFamily === family)
      .map((callable) => call(callable, depth));
    const operators = operatorsOf(family, depth);
    const shared = [conditional(family, depth), castTo(family, depth)];
    return fc.oneof(
      ...(giving.length > 0 ? [{ arbitrary: fc.oneof(...giving), weight: 4 }] : []),
      ...(operators.length > 0 ? [{ arbitrary: fc.oneof(...operators), weight: 3 }] : []),
      { arbitrary: fc.oneof(...shared), weight: 2 },
    );
  };

  const conditional = (family: Family, depth: number) => {
    const value = of(family, depth);
    const others = comparableFamilies.filter((families) => families.includes(family));
    const mixed = others.length > 0 ? fc.constantFrom(...others).chain((families) => oneOf(families, depth)) : value;
    return fc.oneof(
      fc
        .tuple(of("boolean", depth), value, mixed)
        .map(([test, then, other]) => term`CASE WHEN ${test} THEN ${then} ELSE ${other} END`),
      fc
        .constantFrom(...comparableFamilies)
        .map((families) => oneOf(families, depth))
        .chain((each) => fc.tuple(each, each, value, mixed))
        .map(([operand, test, then, other]) => term`CASE ${operand} WHEN ${test} THEN ${then} ELSE ${other} END`),
      fc
        .tuple(of("boolean", depth), value, value)
        .map(([test, then, other]) => term`CASE WHEN ${test} THEN ${then} ELSE ${other} END`),
      fc
        .tuple(leaf("integer"), leaf("integer"), value)
        .map(([operand, test, then]) => term`CASE ${operand} WHEN ${test} THEN ${then} END`),
    );
  };

  const castTo = (family: Family, depth: number) => {
    const types = castTypes[family];
    if (!types) return leaf(family);
    return fc
      .tuple(oneOf(parameterFamilies.primitive, depth), fc.constantFrom(...types.map((type) => raw(type))))
      .map(([value, type]) => term`CAST(${value} AS ${type})`);
  };

  const operator = (left: fc.Arbitrary<Term>, signs: readonly string[], right: fc.Arbitrary<Term>) =>
    fc
      .tuple(left, fc.constantFrom(...signs.map((sign) => raw(sign))), right, fc.nat(3))
      .map(([a, sign, b, bare]) => (bare === 0 ? term`${a} ${sign} ${b}` : term`(${a} ${sign} ${b})`));

  const operatorsOf = (family: Family, depth: number): fc.Arbitrary<Term>[] => {
    const number = oneOf(parameterFamilies.number, depth);
    const whole = oneOf(["integer", "integer", "bigint"], depth);
    switch (family) {
      case "integer":
        return [
          operator(of("integer", depth), ["+", "-", "*", "%", "&", "|", "^"], of("integer", depth)),
          of("integer", depth).map((value) => term`(- (${value}))`),
          of("integer", depth).map((value) => term`(~ ${value})`),
          fc.tuple(leaf("array"), leaf("integer")).map(([value, index]) => term`${value}[${index}]`),
          leaf("struct").map((value) => term`${value}.a`),
          fc.tuple(leaf("map"), leaf("text")).map(([value, key]) => term`${value}[${key}]`),
        ];
      case "bigint":
        return [
          operator(whole, ["+", "-", "*", "%", "div", "&", "|", "^"], of("bigint", depth)),
          operator(whole, ["div"], whole),
        ];
      case "decimal":
        return [
          operator(of("decimal", depth), ["+", "-", "*", "/", "%"], fc.oneof(of("decimal", depth), whole)),
          of("decimal", depth).map((value) => term`(- (${value}))`),
        ];
      case "double":
        return [operator(number, ["+", "-", "*", "/", "%"], number)];
      case "text":
        return [
          operator(oneOf(parameterFamilies.string, depth), ["||"], oneOf(parameterFamilies.string, depth)),
          leaf("struct").map((value) => term`${value}.b`),
        ];
      case "boolean":
        return conditions(depth, number);
      case "date":
        return [operator(of("date", depth), ["+", "-"], leaf("interval"))];
      case "timestamp":
        return [operator(of("timestamp", depth), ["+", "-"], leaf("interval"))];
      case "interval":
        return [
          operator(oneOf(["date", "timestamp"], depth), ["-"], oneOf(["date", "timestamp"], depth)),
          operator(leaf("interval"), ["+", "-"], leaf("interval")),
        ];
      default:
        return [];
    }
  };

  const conditions = (depth: number, number: fc.Arbitrary<Term>): fc.Arbitrary<Term>[] => {
    const comparisons = ["=", "<>", "<", "<=", ">", ">=", "<=>", "IS DISTINCT FROM"];
    const value = oneOf(parameterFamilies.primitive, depth);
    const sames = (["integer", "decimal", "double", "text", "date", "timestamp", "interval", "boolean"] as const).map(
      (family) => operator(of(family, depth), comparisons, of(family, depth)),
    );
    const not = fc.constantFrom(raw(""), raw("NOT "));
    const alike = fc.constantFrom(...comparableFamilies).map((families) => oneOf(families, depth));
    const likely = <Made,>(make: (each: fc.Arbitrary<Term>) => fc.Arbitrary<Made>) =>
      fc.oneof({ arbitrary: alike.chain(make), weight: 5 }, { arbitrary: make(value), weight: 1 });
    return [
      likely((each) => operator(each, comparisons, each)),
      operator(number, comparisons, number),
      fc.oneof(...sames),
      fc
        .tuple(oneOf(parameterFamilies.any, depth), not)
        .map(([operand, negation]) => term`(${operand} IS ${negation}NULL)`),
      fc
        .tuple(of("boolean", depth), not, fc.constantFrom(raw("TRUE"), raw("FALSE"), raw("UNKNOWN")))
        .map(([operand, negation, what]) => term`(${operand} IS ${negation}${what})`),
      likely((each) => fc.tuple(each, not, fc.array(each, { minLength: 1, maxLength: 3 }))).map(
        ([operand, negation, values]) => term`(${operand} ${negation}IN (${list(values)}))`,
      ),
      likely((each) => fc.tuple(each, not, each, each)).map(
        ([operand, negation, low, high]) => term`(${operand} ${negation}BETWEEN ${low} AND ${high})`,
      ),
      fc
        .tuple(oneOf(parameterFamilies.string, depth), not, fc.constantFrom(...patterns.map((text) => raw(text))))
        .map(([operand, negation, pattern]) => term`(${operand} ${negation}LIKE ${pattern})`),
      fc
        .tuple(of("text", depth), fc.constantFrom(...javaPatterns.map((text) => raw(text))))
        .map(([operand, pattern]) => term`(${operand} RLIKE ${pattern})`),
      operator(of("boolean", depth), ["AND", "OR"], of("boolean", depth)),
      of("boolean", depth).map((operand) => term`(NOT ${operand})`),
    ];
  };

  const condition = (depth: number) => once(`condition ${depth}`, () => fc.oneof(...operatorsOf("boolean", depth)));

  return { of, condition, any: (depth) => oneOf(parameterFamilies.any, depth), leaf, argumentsOf, call };
}

/** Generates `CAST(x AS type)` for every type, with columns and literals of every family. */
export function castsOver({ leaf }: Expressions): fc.Arbitrary<Term> {
  const value = fc.oneof(...parameterFamilies.any.map((family) => leaf(family)));
  const types = casts.flatMap(([, names]) => names.map((name) => raw(name)));
  return fc.tuple(value, fc.constantFrom(...types)).map(([operand, type]) => term`CAST(${operand} AS ${type})`);
}
