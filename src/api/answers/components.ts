import { agentAnswers } from "./agents.ts";
import { customToolAnswers } from "./custom-tools.ts";
import { daemonAnswers } from "./daemon.ts";
import { importAnswers } from "./imports.ts";
import { peopleAnswers } from "./people.ts";
import { pluginAnswers } from "./plugins.ts";
import { projectAnswers } from "./projects.ts";
import { serverAnswers } from "./servers.ts";
import { ref, type Schema } from "./shape.ts";
import { toolAnswers } from "./tools.ts";

/** The schema of every answer, by the name that its type has in `contract.ts`. */
export const COMPONENTS = {
  ...agentAnswers,
  ...toolAnswers,
  ...customToolAnswers,
  ...serverAnswers,
  ...pluginAnswers,
  ...importAnswers,
  ...peopleAnswers,
  ...projectAnswers,
  ...daemonAnswers,
};

export type ComponentName = keyof typeof COMPONENTS;

/** What a route answers with where nothing goes wrong, for its schema. */
export function gives(name: ComponentName, status = 200): Readonly<Record<number, Schema>> {
  return { [status]: ref(name) };
}
