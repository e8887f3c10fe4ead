import type { Store } from "../../src/machine/db/store.ts";
import { MessageTable, TaskTable } from "../../src/work/tasks/tables.ts";

/** The tables of tasks and reports. */
export function taskStores({ database }: Pick<Store, "database">) {
  return { tasks: new TaskTable(database), messages: new MessageTable(database) };
}
