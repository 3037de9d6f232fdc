/** `npm run docs`: builds the site of docs/ into docs/.vitepress/dist. `npm run docs -- --serve` serves it, too. */
import { buildSite, serveSite } from "../tools/site/build.mjs";

await buildSite();
if (process.argv.includes("--serve")) await serveSite();
