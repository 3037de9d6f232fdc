/**
 * The code that Pulumi keeps with every dynamic resource, twice, and runs in a process of its own, in the program's
 * folder. It only loads the handlers of the package that the program uses, so it is the same for every resource, loader
 * and release, holds nothing of the program, and never makes a difference. Later releases must go on exporting
 * `dynamic/handlers`. Single quotes, for JSON would escape the others.
 */
export const providerCode = "exports.handler=()=>require('pulumi-dag/dynamic/handlers')";
