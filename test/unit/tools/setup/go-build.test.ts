import { describe, expect, test } from "vitest";
import { goModule } from "../../../../tools/setup/go-build.mjs";

describe("goModule", () => {
  test("keeps replacements by modules and drops replacements by folders", () => {
    const text = goModule("3.259.0", {
      Go: "1.25.11",
      Replace: [
        { Old: { Path: "github.com/pulumi/pulumi/sdk/v3" }, New: { Path: "../sdk" } },
        { Old: { Path: "example.com/a" }, New: { Path: "example.com/b", Version: "v1.2.3" } },
        { Old: { Path: "example.com/c", Version: "v1.0.0" }, New: { Path: "example.com/c", Version: "v1.0.1" } },
      ],
    });
    expect(text.split("\n")).toEqual([
      "module build",
      "go 1.25.11",
      "require github.com/pulumi/pulumi/pkg/v3 v3.259.0",
      "require github.com/pulumi/pulumi/sdk/v3 v3.259.0",
      "replace example.com/a => example.com/b v1.2.3",
      "replace example.com/c v1.0.0 => example.com/c v1.0.1",
      "",
    ]);
  });

  test("accepts a module without replacements", () => {
    expect(goModule("3.250.0", { Replace: null })).not.toContain("replace");
  });
});
