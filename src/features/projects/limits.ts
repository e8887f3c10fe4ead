/** How long the texts of projects, tickets and notes may be, whoever writes them. */
export const LONGEST = {
  /** The name of a project. */
  name: 200,
  key: 10,
  /** Of a project or a ticket. */
  description: 20_000,
  /** Of a ticket or a note. */
  title: 300,
  comment: 10_000,
  note: 10_000,
  label: 40,
  query: 500,
} as const;

/** Labels of a ticket, tags of a note. */
export const MAX_LABELS = 20;
