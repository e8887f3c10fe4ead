import { defineTable } from "../../contract/define-table.ts";
import { plugin } from "./contract.ts";

export const plugins = defineTable({
  name: "plugins",
  noun: "plugin",
  record: plugin,
  key: ["name"],
  announces: "plugins",
});
