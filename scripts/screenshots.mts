/**
 * `npm run screenshots`: makes the pictures of docs/console.md in docs/console/, light and dark, from a service with
 * sample data in a real browser. Needs Chromium.
 */
import { makeScreenshots } from "../tools/screenshots/screenshots.mts";

process.exitCode = await makeScreenshots();
