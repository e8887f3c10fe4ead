import { joinPath } from "../../api/client.ts";
import type { Home, ServerView } from "../../api/contract.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Link } from "../../ui/link.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { displayState } from "../servers/server-state.tsx";

interface AttentionItem {
  readonly to: string;
  readonly tone: Tone;
  readonly title: string;
  /** Untrusted text. */
  readonly reason?: string | null;
}

const MAX_ITEMS = 12;

/** Items that wait for a person or have failed, most urgent first. Each item links to the page that resolves it. */
export function Attention({ servers, home }: { servers: readonly ServerView[]; home: Home }) {
  const items = collectItems(servers, home);
  return (
    <section aria-labelledby="attention">
      <h2 id="attention" className="mb-2 text-base font-semibold">
        Needs attention
      </h2>
      {items.length === 0 ? (
        <p className="rounded-md border border-line px-4 py-3 text-soft">
          <StateMark tone="ok">All caught up.</StateMark>
        </p>
      ) : (
        <ul className="divide-y divide-line rounded-md border border-line">
          {items.slice(0, MAX_ITEMS).map(({ to, tone, title, reason }) => (
            <li
              key={to + title}
              className="relative flex items-center gap-x-4 px-4 py-2 hover:bg-hover max-sm:flex-col max-sm:items-start"
            >
              <Link
                to={to}
                className="min-w-0 shrink-0 font-medium after:absolute after:inset-0 max-sm:max-w-full"
              >
                <StateMark tone={tone}>{title}</StateMark>
              </Link>
              {reason && (
                <span className="line-clamp-2 min-w-0 flex-1 text-soft" title={escapeInvisible(reason)}>
                  <UntrustedText text={reason} max={300} />
                </span>
              )}
            </li>
          ))}
          {items.length > MAX_ITEMS && (
            <li className="px-4 py-2 text-soft">{items.length - MAX_ITEMS} more on the Servers page</li>
          )}
        </ul>
      )}
    </section>
  );
}

function collectItems(servers: readonly ServerView[], { waiting }: Home): AttentionItem[] {
  const countItem = (to: string, count: number, one: string, many: string): AttentionItem[] =>
    count === 0 ? [] : [{ to, tone: "accent", title: count === 1 ? one : `${count} ${many}` }];
  const serversInState = (state: ServerView["state"], tone: Tone, problem: string) =>
    servers
      .filter((server) => displayState(server) === state && server.enabled)
      .map(({ name, lastError }) => ({
        to: joinPath("servers", name),
        tone,
        title: `${name} ${problem}`,
        reason: lastError,
      }));
  return [
    ...countItem("/approvals", waiting.approvals, "1 call needs your approval", "calls need your approval"),
    ...countItem("/approvals", waiting.questions, "1 question needs an answer", "questions need an answer"),
    ...serversInState("pending_approval", "warn", "needs your approval"),
    ...servers
      .filter((server) => server.waiting > 0)
      .map(({ name, waiting: held }) => ({
        to: `${joinPath("servers", name)}?tab=changes`,
        tone: "warn" as const,
        title: `${name} has ${held === 1 ? "1 change" : `${held} changes`} to review`,
        reason: "Agents cannot use what changed until you accept it.",
      })),
    ...serversInState("needs_auth", "warn", "needs you to sign in"),
    ...serversInState("unavailable", "bad", "failed"),
    ...countItem("/notifications", waiting.notifications, "1 notification", "notifications"),
  ];
}
