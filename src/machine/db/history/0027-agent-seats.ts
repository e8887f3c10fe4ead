import type { Migration } from "./migration.ts";

export const agentSeats: Migration = {
  name: "0027-agent-seats",
  async up(db, types) {
    for (const column of ["local_model", "coordinator"])
      await db.schema
        .alterTable("agents")
        .addColumn(column, types.flag, (flag) => flag.notNull().defaultTo(0))
        .execute();
  },
};
