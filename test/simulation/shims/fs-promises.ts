/** node:fs/promises on the world's disk: each call is a step. */
import { world } from "../world/world";
import * as sync from "./fs";

/** Makes a step of a synchronous call. */
function step<Given extends unknown[], Result>(kind: string, run: (...given: Given) => Result) {
  return (...given: Given): Promise<Result> => world().call(kind, () => run(...given));
}

export const lstat = step("file: lstat", (path: string) => sync.lstatSync(path)!);
export const stat = step("file: stat", (path: string) => sync.statSync(path)!);
export const rmdir = step("file: rmdir", sync.rmdirSync);
export const rm = step("file: rm", sync.rmSync);
export const unlink = step("file: unlink", (path: string) => sync.rmSync(path));
export const mkdir = step("file: mkdir", sync.mkdirSync);
export const readdir = step("file: readdir", (path: string, options?: { readonly withFileTypes?: boolean }) =>
  options?.withFileTypes ? sync.direntsOf(path) : sync.readdirSync(path),
);
export const opendir = step("file: opendir", (path: string) => {
  const found = sync.direntsOf(path);
  return {
    async *[Symbol.asyncIterator]() {
      yield* found;
    },
  };
});
const notSimulated = (name: string) => (): never => {
  throw new Error(`${name} is not simulated`);
};
export const open = notSimulated("open");
export const rename = notSimulated("rename");
export const realpath = notSimulated("realpath");
export const readFile = notSimulated("readFile");
export const statfs = notSimulated("statfs");
