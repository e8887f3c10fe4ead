import type { Column } from "../../query/column.ts";

/** What several people and agents may edit at once. */
const REVISED = {
  id: "text",
  createdBy: "text?",
  revision: "number",
  createdAt: "number",
  updatedAt: "number",
} as const;

/** Projects and what belongs to them, in the order of `schema.ts`. */
export const PROJECT_TABLES = {
  projects: {
    ...REVISED,
    key: "text",
    name: "text",
    description: "text",
    status: "text",
    lastNumber: "number",
  },
  tickets: {
    ...REVISED,
    projectId: "text",
    number: "number",
    title: "text",
    description: "text",
    status: "text",
    priority: "text",
    assigneeId: "text?",
    labels: "json",
  },
  ticketComments: { id: "text", ticketId: "text", createdBy: "text?", text: "text", createdAt: "number" },
  projectNotes: {
    ...REVISED,
    projectId: "text",
    title: "text",
    body: "text",
    tags: "json",
  },
} as const satisfies Record<string, Record<string, Column>>;
