import { ToolkeepError } from "../../contract/errors.ts";
import type { ProjectRecord } from "./contract.ts";

/** The project, unless it is archived: throws READ_ONLY. */
export function writable(project: ProjectRecord): ProjectRecord {
  if (project.status === "active") return project;
  throw new ToolkeepError(
    "READ_ONLY",
    `project ${project.key} is archived; what is in it cannot be changed`,
    {
      remedy: "Set its status to active first.",
    },
  );
}
