import { defineTable } from "../../contract/define-table.ts";
import { customTool } from "./contract.ts";

/** One content for each slug. */
export const customTools = defineTable({
  name: "customTools",
  noun: "enabled custom tool",
  record: customTool,
  key: ["slug"],
  announces: "custom_tools",
});
