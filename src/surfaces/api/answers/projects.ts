import { TICKET_PRIORITIES, TICKET_STATUSES } from "../../../machine/db/tables/work/project-record.ts";
import type * as contract from "../contract.ts";
import { anyOfTexts, count, listOf, orNull, ref, type Schema, shape, text, texts, time } from "./shape.ts";

const revision = { type: "integer", minimum: 1, description: "Grows with every change." };
const author = { ...orNull(text), description: "The agent that made it; null: a person did." };
const made = { createdBy: author, createdAt: time };
const kept = { ...made, revision, updatedAt: time };
const total = { ...count, description: "How many there are in all." };

const ticketFields = {
  id: text,
  ref: { type: "string", description: "`TK-12`" },
  project: text,
  number: count,
  title: text,
  status: anyOfTexts(TICKET_STATUSES),
  priority: anyOfTexts(TICKET_PRIORITIES),
  assignee: { ...orNull(text), description: "The name of an agent." },
  labels: texts,
  comments: { ...count, description: "How many there are." },
  ...kept,
} satisfies Record<string, Schema>;

const byStatus = shape<contract.ProjectView["tickets"]>({
  open: count,
  in_progress: count,
  blocked: count,
  review: count,
  done: count,
  cancelled: count,
});

/** Projects, tickets and notes. */
export const projectAnswers = {
  ProjectView: shape<contract.ProjectView>(
    {
      id: text,
      key: text,
      name: text,
      description: text,
      status: anyOfTexts(["active", "archived"]),
      tickets: byStatus,
      notes: count,
      ...kept,
    },
    "`tickets`: how many there are of each status.",
  ),
  ProjectList: shape<contract.ProjectList>({ projects: listOf(ref("ProjectView")), total }),
  ProjectAnswer: shape<contract.ProjectAnswer>({ project: ref("ProjectView") }),

  NoteView: shape<contract.NoteView>({
    id: text,
    project: text,
    title: text,
    body: text,
    tags: texts,
    ...kept,
  }),
  NoteList: shape<contract.NoteList>({ notes: listOf(ref("NoteView")), total }),
  NoteAnswer: shape<contract.NoteAnswer>({ note: ref("NoteView") }),

  TicketSummary: shape<contract.TicketSummary>(ticketFields),
  TicketList: shape<contract.TicketList>({ tickets: listOf(ref("TicketSummary")), total }),
  TicketAnswer: shape<contract.TicketAnswer>({
    ticket: shape<contract.TicketView>({ ...ticketFields, description: text }),
  }),
  CommentView: shape<contract.CommentView>({ id: text, text, ...made }),
  CommentList: shape<contract.CommentList>({ comments: listOf(ref("CommentView")), total }),
  CommentAnswer: shape<contract.CommentAnswer>({ comment: ref("CommentView") }),
};
