/** The programs that Pulumi's registry shows for the package, as users copy them from there. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { root } from "../../setup/layout.mjs";

/**
 * @param {"typescript" | "python" | "go" | "java" | "yaml"} language
 * @returns {string} the program of the page docs/_index.md
 */
export function pageProgram(language) {
  const text = readFileSync(join(root, "docs/_index.md"), "utf8");
  const found = new RegExp(`choosable language ${language} %}}\\n+\`\`\`\\w+\\n([^]*?\\n)\`\`\``).exec(text);
  if (!found?.[1]) throw new Error(`docs/_index.md has no program in ${language}`);
  return found[1];
}

/** Runs `page.py` in Python with Pulumi's mocks: every name that it uses is there, and its output is computed. */
export const pythonMocks = `import pulumi
class Mocks(pulumi.runtime.Mocks):
    def new_resource(self, args):
        return ["1", {**args.inputs, "result": {"objects": [], "rows": [["TX", "2"]]}}]
    def call(self, args):
        return {}
pulumi.runtime.set_mocks(Mocks())
import page
@pulumi.runtime.test
def check():
    return page.strikes.result.rows.apply(lambda rows: print(rows))
check()
`;
