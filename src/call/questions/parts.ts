import type { FeatureParts } from "../../contract/feature.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Database } from "../../machine/db/database.ts";
import { type QuestionRouteDeps, questionRoutes } from "./routes.ts";
import { QuestionTable, TABLES } from "./tables.ts";

export interface QuestionNeeds extends QuestionRouteDeps {
  readonly database: Database;
  readonly settings: () => Settings;
}

export const parts: FeatureParts<QuestionNeeds> = {
  tables: TABLES,
  open(needs) {
    const { database, settings, notifications, clock } = needs;
    const clean = (what: string, table: { prune: QuestionTable["prune"] }, keptMs: () => number | null) => ({
      what,
      async remove(limit: number) {
        const kept = keptMs();
        return kept === null ? 0 : table.prune(clock() - kept, limit);
      },
    });
    return {
      routes: questionRoutes(needs),
      cleaning: [
        clean("questions", new QuestionTable(database), () => settings().retention.questionsMs),
        clean("notifications", notifications, () => settings().retention.notificationsMs),
      ],
    };
  },
};
