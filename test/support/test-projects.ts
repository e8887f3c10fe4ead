import { Events } from "../../src/contract/events.ts";
import { createProjects, type Projects } from "../../src/features/projects/projects.ts";
import { ProjectTables } from "../../src/features/projects/tables.ts";
import { randomId } from "../../src/lib/id.ts";
import type { Store } from "../../src/machine/db/store.ts";
import { rankTexts } from "../../src/machine/text/index/rank-texts.ts";
import { agent, NOW } from "../machine/db/records.ts";
import { accessTables } from "./access-tables.ts";
import { tempStore } from "./temp-store.ts";

export const PAGE = { limit: 50, offset: 0 };
export const SECRET = "hunter2-hunter2";

export interface TestProjects extends AsyncDisposable {
  readonly projects: Projects;
  readonly store: Store;
  readonly told: string[];
}

/** Projects over a real store, with an agent `ada`, a clock that goes on with every look, and a project TK. */
export async function testProjects(): Promise<TestProjects> {
  const kept = await tempStore();
  await accessTables(kept.store).agents.create(agent("ada"));
  const events = new Events(() => {});
  const told: string[] = [];
  events.on("project.changed", ({ project }) => told.push(project));
  events.on("ticket.changed", ({ ticket }) => told.push(ticket));
  let now = NOW;
  const projects = createProjects({
    tables: new ProjectTables(kept.store.database),
    agents: { id: (name) => `agt_${name}`, name: (id) => id.replace("agt_", "") },
    redact: (text) => text.replaceAll(SECRET, "[redacted]"),
    rank: rankTexts,
    events,
    clock: () => ++now,
    newId: randomId,
  });
  await projects.create({ name: "Tool keeper" }, "agt_ada");
  told.length = 0;
  return { projects, store: kept.store, told, [Symbol.asyncDispose]: () => kept[Symbol.asyncDispose]() };
}
