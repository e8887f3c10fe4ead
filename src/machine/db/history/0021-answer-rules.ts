import type { Migration } from "./migration.ts";

export const answerRules: Migration = {
  name: "0021-answer-rules",
  async up(db, types) {
    await db.schema.alterTable("rules").addColumn("question_id", types.text).execute();
  },
};
