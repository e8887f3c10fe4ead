import { TICKET_PRIORITIES, TICKET_STATUSES } from "../../../machine/db/tables/work/project-record.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const revision = { type: "integer", minimum: 1, description: "Grows with every change." };
const author = { ...s.orNull(s.text), description: "The agent that made it; null: a person did." };
const made = { createdBy: author, createdAt: s.time };
const kept = { ...made, revision, updatedAt: s.time };
const total = { ...s.count, description: "How many there are in all." };

const ticketFields = {
  id: s.text,
  ref: { type: "string", description: "`TK-12`" },
  project: s.text,
  number: s.count,
  title: s.text,
  status: s.anyOfTexts(TICKET_STATUSES),
  priority: s.anyOfTexts(TICKET_PRIORITIES),
  assignee: { ...s.orNull(s.text), description: "The name of an agent." },
  labels: s.texts,
  comments: { ...s.count, description: "How many there are." },
  ...kept,
} satisfies Record<string, s.Schema>;

const byStatus = s.shape<contract.ProjectView["tickets"]>({
  open: s.count,
  in_progress: s.count,
  blocked: s.count,
  review: s.count,
  done: s.count,
  cancelled: s.count,
});

/** Projects, tickets and notes. */
export const projectAnswers = {
  ProjectView: s.shape<contract.ProjectView>(
    {
      id: s.text,
      key: s.text,
      name: s.text,
      description: s.text,
      status: s.anyOfTexts(["active", "archived"]),
      tickets: byStatus,
      notes: s.count,
      ...kept,
    },
    "`tickets`: how many there are of each status.",
  ),
  ProjectList: s.shape<contract.ProjectList>({ projects: s.listOf(s.ref("ProjectView")), total }),
  ProjectAnswer: s.shape<contract.ProjectAnswer>({ project: s.ref("ProjectView") }),

  NoteView: s.shape<contract.NoteView>({
    id: s.text,
    project: s.text,
    title: s.text,
    body: s.text,
    tags: s.texts,
    ...kept,
  }),
  NoteList: s.shape<contract.NoteList>({ notes: s.listOf(s.ref("NoteView")), total }),
  NoteAnswer: s.shape<contract.NoteAnswer>({ note: s.ref("NoteView") }),

  TicketSummary: s.shape<contract.TicketSummary>(ticketFields),
  TicketList: s.shape<contract.TicketList>({ tickets: s.listOf(s.ref("TicketSummary")), total }),
  TicketAnswer: s.shape<contract.TicketAnswer>({
    ticket: s.shape<contract.TicketView>({ ...ticketFields, description: s.text }),
  }),
  CommentView: s.shape<contract.CommentView>({ id: s.text, text: s.text, ...made }),
  CommentList: s.shape<contract.CommentList>({ comments: s.listOf(s.ref("CommentView")), total }),
  CommentAnswer: s.shape<contract.CommentAnswer>({ comment: s.ref("CommentView") }),
};
