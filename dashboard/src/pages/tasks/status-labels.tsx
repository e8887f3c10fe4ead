import type { TaskView, TicketView } from "../../api/contract.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";

type TicketStatus = TicketView["status"];
type Status = TicketStatus | TaskView["status"];

const STATUSES: Readonly<Record<Status, { readonly label: string; readonly tone: Tone }>> = {
  open: { label: "Open", tone: "neutral" },
  in_progress: { label: "In progress", tone: "accent" },
  blocked: { label: "Blocked", tone: "warn" },
  review: { label: "In review", tone: "accent" },
  done: { label: "Done", tone: "ok" },
  failed: { label: "Failed", tone: "bad" },
  cancelled: { label: "Cancelled", tone: "neutral" },
};

export const TASK_STATUSES = toOptions(["open", "in_progress", "blocked", "done", "failed", "cancelled"]);
export const TICKET_STATUSES = toOptions(["open", "in_progress", "blocked", "review", "done", "cancelled"]);

export const PRIORITIES: readonly (readonly [TicketView["priority"], string])[] = [
  ["urgent", "Urgent"],
  ["high", "High"],
  ["normal", "Normal"],
  ["low", "Low"],
];

export function StatusMark({ status }: { status: Status }) {
  const { label, tone } = STATUSES[status];
  return <StateMark tone={tone}>{label}</StateMark>;
}

export function isFinished(status: Status): boolean {
  return status === "done" || status === "failed" || status === "cancelled";
}

function toOptions<S extends Status>(statuses: readonly S[]): readonly (readonly [S, string])[] {
  return statuses.map((status) => [status, STATUSES[status].label]);
}
