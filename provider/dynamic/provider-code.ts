/**
 * The code that Pulumi stores (twice) with every dynamic resource and runs in a separate process in the program's
 * folder. It only loads the handlers from the installed package, so it is the same for every resource, loader and
 * release and never causes a diff. Later releases must continue to export `dynamic/handlers`. The string uses single
 * quotes, because JSON would escape double quotes.
 */
export const providerCode = "exports.handler=()=>require('pulumi-dag/dynamic/handlers')";
