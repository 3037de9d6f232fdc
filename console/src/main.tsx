/** Starts the console. */
import { render } from "preact";
import { config } from "zod";
import "./styles/base.css";
import "./styles/layout.css";
import "./styles/parts.css";
import "./styles/pages.css";
import { App } from "./app";
import { signInProblem } from "./api/client";
import { restoreSession } from "./api/session";
import { applyTheme } from "./theme";

// The page's policy forbids code from strings, with which zod would speed itself up.
config({ jitless: true });
applyTheme();
restoreSession()
  .catch((error: unknown) => (signInProblem.value = (error as Error).message))
  .finally(() => render(<App />, document.getElementById("app")!));
