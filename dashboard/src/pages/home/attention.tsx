import { joinPath } from "../../api/client.ts";
import type { Home, ServerView } from "../../api/contract.ts";
import { StateMark, type Tone } from "../../ui/badge.tsx";
import { Link } from "../../ui/link.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { shownState } from "../servers/server-state.tsx";

interface Item {
  readonly to: string;
  readonly tone: Tone;
  readonly what: string;
  /** Words of others. */
  readonly why?: string | null;
}

const MAX_ITEMS = 12;

/** What waits for a person or does not work, most pressing first; each leads to where it is settled. */
export function Attention({ servers, home }: { servers: readonly ServerView[]; home: Home }) {
  const items = itemsFor(servers, home);
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
          {items.slice(0, MAX_ITEMS).map(({ to, tone, what, why }) => (
            <li
              key={to + what}
              className="relative flex items-center gap-x-4 px-4 py-2 hover:bg-hover max-sm:flex-col max-sm:items-start"
            >
              <Link
                to={to}
                className="min-w-0 shrink-0 font-medium after:absolute after:inset-0 max-sm:max-w-full"
              >
                <StateMark tone={tone}>{what}</StateMark>
              </Link>
              {why && (
                <span className="line-clamp-2 min-w-0 flex-1 text-soft" title={escapeInvisible(why)}>
                  <UntrustedText text={why} max={300} />
                </span>
              )}
            </li>
          ))}
          {items.length > MAX_ITEMS && (
            <li className="px-4 py-2 text-soft">and {items.length - MAX_ITEMS} more, under Servers</li>
          )}
        </ul>
      )}
    </section>
  );
}

function itemsFor(servers: readonly ServerView[], { waiting }: Home): Item[] {
  const named = (to: string, count: number, one: string, many: string): Item[] =>
    count === 0 ? [] : [{ to, tone: "accent", what: count === 1 ? one : `${count} ${many}` }];
  const ofState = (state: ServerView["state"], tone: Tone, words: string) =>
    servers
      .filter((server) => shownState(server) === state && server.enabled)
      .map(({ name, lastError }) => ({
        to: joinPath("servers", name),
        tone,
        what: `${name} ${words}`,
        why: lastError,
      }));
  return [
    ...named(
      "/approvals",
      waiting.approvals,
      "1 call waits for your yes or no",
      "calls wait for your yes or no",
    ),
    ...named(
      "/approvals",
      waiting.questions,
      "1 question waits for an answer",
      "questions wait for an answer",
    ),
    ...ofState("pending_approval", "warn", "waits for approval"),
    ...servers
      .filter((server) => server.waiting > 0)
      .map(({ name, waiting: held }) => ({
        to: `${joinPath("servers", name)}?tab=changes`,
        tone: "warn" as const,
        what: `${name} publishes ${held === 1 ? "something new" : `${held} new things`}`,
        why: "Nobody can use it before you accept it",
      })),
    ...ofState("needs_auth", "warn", "wants you to sign in"),
    ...ofState("unavailable", "bad", "has failed"),
    ...named("/notifications", waiting.notifications, "1 notification", "notifications"),
  ];
}
