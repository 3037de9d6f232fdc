/** The record of a peculiarity of Hive; each has a file of its own. */
/** A behaviour of one release of Hive that no other engine has, and what the translation does about it. */
export type Quirk = {
  /** The name of the file. */
  readonly id: string;
  /** The release of Hive in which it was found. */
  readonly hive: "4.0.1";
  readonly title: string;
  /** What Hive does. */
  readonly why: string;
  /** A statement or expression with Hive's answer. */
  readonly example: string;
} & (
  | {
      /** What the translation refuses, or at what data the query fails. */
      readonly refuses: string;
    }
  | {
      /** How the translation gives Hive's answer. */
      readonly rewrites: string;
    }
);
