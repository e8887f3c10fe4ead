import type { Identity } from "../../call/identity/identity.ts";
import type { Questions } from "../../call/questions/questions.ts";
import type { Events } from "../../contract/events.ts";
import type { FeatureParts } from "../../contract/feature.ts";
import type { Clock } from "../../lib/clock.ts";
import type { NewId } from "../../lib/id.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Database } from "../../machine/db/database.ts";
import { reportToParentTool, requestInputTool } from "./parent.ts";
import { taskRoutes } from "./routes.ts";
import { MessageTable, TABLES, TaskTable } from "./tables.ts";
import { taskTools } from "./task-tools.ts";
import { updateTaskStatusTool } from "./tasks.ts";

export interface TaskNeeds {
  readonly database: Database;
  readonly settings: () => Settings;
  readonly identity: Identity;
  readonly questions: Questions;
  readonly events: Events;
  readonly clock: Clock;
  readonly newId: NewId;
}

export const parts: FeatureParts<TaskNeeds> = {
  tables: TABLES,
  open({ database, ...needs }) {
    const store = { tasks: new TaskTable(database), messages: new MessageTable(database) };
    const deps = { ...needs, store };
    return {
      tools: [
        requestInputTool(deps),
        reportToParentTool(deps),
        updateTaskStatusTool(deps),
        ...taskTools(deps),
      ],
      routes: taskRoutes(deps),
    };
  },
};
