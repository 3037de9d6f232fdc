/** Imported before every schema: the page's policy forbids code from strings, with which zod would speed itself up. */
import { config } from "zod";

config({ jitless: true });
