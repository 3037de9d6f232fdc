/** The capturing groups of a Java regular expression while it is read. */
import { UnsupportedRegex } from "./reader";

/** A capturing group. */
export interface RegexGroup {
  /** True when Java captures the same text. False when Java can keep the capture of another attempt or iteration. */
  isExact: boolean;
}

interface OpenGroup extends RegexGroup {
  isClosed: boolean;
  /** True while every match up to here has captured the group. */
  isSet: boolean;
  mayBeEmpty: boolean;
}

/** The groups that are read so far. Number 0 is the whole match. */
export class Groups {
  readonly all: OpenGroup[] = [{ isExact: true, isClosed: true, isSet: true, mayBeEmpty: true }];
  readonly names = new Map<string, number>();

  /** The number of the next group. */
  get count(): number {
    return this.all.length;
  }

  /** Adds a group. */
  open(name?: string): { readonly group: OpenGroup; readonly number: number } {
    const group: OpenGroup = { isExact: true, isClosed: false, isSet: true, mayBeEmpty: true };
    const number = this.all.push(group) - 1;
    if (name !== undefined) {
      if (!/^[A-Za-z]/.test(name) || this.names.has(name)) throw new UnsupportedRegex("an invalid group name");
      this.names.set(name, number);
    }
    return { group, number };
  }

  /** Returns the group of a back reference. A group that did not participate fails in Java and is empty in ECMAScript. */
  referenced(number: number): OpenGroup {
    const group = this.all[number];
    if (!group?.isClosed || !group.isSet)
      throw new UnsupportedRegex(`a reference to group ${number}, which may not have participated in the match`);
    return group;
  }

  /** Marks the groups from a number on as not captured by every match. */
  unset(first: number): void {
    for (const group of this.all.slice(first)) group.isSet = false;
  }

  /**
   * Marks the groups from a number on as those of which Java can keep another capture.
   * @param exceptSet true to leave out those that every match up to here has captured.
   */
  makeUncertain(first: number, exceptSet = false): void {
    for (const group of this.all.slice(first)) group.isExact &&= exceptSet && group.isSet;
  }
}
