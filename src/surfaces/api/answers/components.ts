import { agentAnswers } from "./agents.ts";
import { auditAnswers } from "./audit.ts";
import { customToolAnswers } from "./custom-tools.ts";
import { daemonAnswers } from "./daemon.ts";
import { importAnswers } from "./imports.ts";
import { knowledgeAnswers } from "./knowledge.ts";
import { memoryAnswers } from "./memories.ts";
import { peopleAnswers } from "./people.ts";
import { pluginAnswers } from "./plugins.ts";
import { projectAnswers } from "./projects.ts";
import { ruleAnswers } from "./rules.ts";
import { secretAnswers } from "./secrets.ts";
import { serverAnswers } from "./servers.ts";
import { sessionAnswers } from "./sessions.ts";
import { settingAnswers } from "./settings.ts";
import * as s from "./shape.ts";
import { toolAnswers } from "./tools.ts";

/** The schema of every answer, by the name that its type has in `contract.ts`. */
export const COMPONENTS = {
  ...agentAnswers,
  ...toolAnswers,
  ...auditAnswers,
  ...customToolAnswers,
  ...serverAnswers,
  ...secretAnswers,
  ...pluginAnswers,
  ...importAnswers,
  ...peopleAnswers,
  ...sessionAnswers,
  ...knowledgeAnswers,
  ...memoryAnswers,
  ...projectAnswers,
  ...ruleAnswers,
  ...settingAnswers,
  ...daemonAnswers,
};

export type ComponentName = keyof typeof COMPONENTS;

/** What a route answers with where nothing goes wrong, for its schema. */
export function gives(name: ComponentName, status = 200): Readonly<Record<number, s.Schema>> {
  return { [status]: s.ref(name) };
}
