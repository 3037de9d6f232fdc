import { expect, test } from "vitest";
import { rerunStep } from "../../../../../provider/lifecycles/queries/resource-name";

const urn = (type: string) => `urn:pulumi:dev::shop::my:Component$dag:index:${type}::SplitTable one`;

test("rerunStep: a table is made again by triggers, because --replace of the plugin finds it in its way", () => {
  expect(rerunStep(urn("SplitTable"))).toBe('change "triggers"');
  expect(rerunStep(urn("SelectQuery"))).toBe(`run "pulumi up --replace '${urn("SelectQuery")}'"`);
});
