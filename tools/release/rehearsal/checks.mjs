/** Counts what a rehearsal has checked, and prints what it could not do. */
import { formatDuration } from "../../setup/progress.mjs";

/** The results of one rehearsal. */
export class Checks {
  passed = 0;
  failed = 0;
  /** @type {string[]} */
  notDone = [];

  /**
   * Runs one check and prints its result.
   *
   * @param {string} name
   * @param {() => Promise<void> | void} check throws when what is checked is not so
   * @returns {Promise<boolean>}
   */
  async check(name, check) {
    const started = Date.now();
    try {
      await check();
      this.passed++;
      console.log(`ok       ${name} (${formatDuration(Date.now() - started)})`);
      return true;
    } catch (error) {
      this.failed++;
      const text = error instanceof Error ? error.message : String(error);
      console.log(`FAILED   ${name} (${formatDuration(Date.now() - started)})\n${text.replace(/^/gm, "         ")}`);
      return false;
    }
  }

  /**
   * Says what was not done. It never counts as passed.
   *
   * @param {string} name
   * @param {string} reason
   */
  leave(name, reason) {
    this.notDone.push(name);
    console.log(`not done ${name}: ${reason}`);
  }

  /**
   * @param {string} version
   * @returns {string} the closing line
   */
  summary(version) {
    return `rehearsed ${version}: ${this.passed} checks passed, ${this.failed} failed`;
  }
}

/**
 * @param {boolean} holds
 * @param {string} message
 */
export function expect(holds, message) {
  if (!holds) throw new Error(message);
}
