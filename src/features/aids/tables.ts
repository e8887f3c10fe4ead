import { defineTable } from "../../contract/define-table.ts";
import { todoList } from "./contract.ts";

export const todos = defineTable({
  name: "todos",
  noun: "to-do list",
  record: todoList,
  key: ["agentId", "conversation"],
});
