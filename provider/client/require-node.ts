/** Ends the process with one line when its Node.js is too old. An entry of the package imports this first. */
import { requireNode } from "../../contract/node-version";

requireNode("pulumi-dag");
