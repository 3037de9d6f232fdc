/**
 * The code that Pulumi keeps with every dynamic resource and runs in a process of its own. It only loads the handlers
 * of the package that the program uses, so it is the same for every resource, loader and release, holds nothing of the
 * program, and never makes a difference. A front end of a later release must go on exporting `handlers` there.
 *
 * A `then` must not be answered: the SDK returns the provider from an async function.
 */
export const providerCode =
  'exports.handler=()=>new Proxy({},{get:(_,m)=>m!="then"&&((...a)=>import("pulumi-dag/dynamic/handlers").then(h=>h.handlers[m](...a)))})';
