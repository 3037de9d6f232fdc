/** Starts the console. */
/* oxlint-disable import/no-unassigned-import -- settings for the schemas, which are made later, and styles */
import "./zod-settings";
import { render } from "preact";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/parts.css";
import "./styles/pages.css";
import "./styles/lineage.css";
import "./styles/highlight.css";
import { App, WrongEndpoint } from "./app";
import { signInProblem } from "./api/client";
import { restoreSession, wrongEndpoint } from "./api/session";
import { applyTheme } from "./theme";

applyTheme();
const page = document.getElementById("app")!;
if (wrongEndpoint !== undefined) render(<WrongEndpoint value={wrongEndpoint} />, page);
else {
  restoreSession()
    .catch((error: unknown) => (signInProblem.value = error))
    .finally(() => render(<App />, page));
}
