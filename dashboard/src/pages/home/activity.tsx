import { joinPath } from "../../api/client.ts";
import type { AgentView, AuditPage, CallView, TokenList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Link, TextLink } from "../../ui/link.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { OutcomeMark } from "../audit/outcome-mark.tsx";

const CALLS = 8;
const AGENTS = 8;
/** Calls to look for an agent that no token was used for, such as one that works inside Toolkeep. */
const LOOKED_AT = 100;

/** The newest calls, and when each agent was last seen. */
export function Activity({ agents }: { agents: readonly AgentView[] }) {
  const calls = useGet<AuditPage>("/audit", { params: { limit: LOOKED_AT } }).data?.calls;
  const tokens = useGet<TokenList>("/tokens").data?.tokens;
  return (
    <div className="grid grid-cols-5 gap-x-6 gap-y-4 max-lg:grid-cols-1">
      <section aria-labelledby="recent" className="col-span-3 min-w-0 max-lg:col-span-1">
        <Heading id="recent" to="/audit" all="All calls">
          Recent activity
        </Heading>
        {calls && <Calls calls={calls.slice(0, CALLS)} />}
      </section>
      <section aria-labelledby="seen" className="col-span-2 min-w-0 max-lg:col-span-1">
        <Heading id="seen" to="/agents" all={`All ${agents.length}`}>
          Agents
        </Heading>
        {calls && tokens && <Agents agents={lastSeen(agents, tokens, calls)} />}
      </section>
    </div>
  );
}

function Heading({ id, to, all, children }: { id: string; to: string; all: string; children: string }) {
  return (
    <div className="mb-2 flex items-baseline justify-between">
      <h2 id={id} className="text-base font-semibold">
        {children}
      </h2>
      <TextLink to={to}>{all}</TextLink>
    </div>
  );
}

function Calls({ calls }: { calls: readonly CallView[] }) {
  if (calls.length === 0)
    return <p className="rounded-md border border-line px-4 py-3 text-soft">No tool has been called yet.</p>;
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {calls.map(({ id, agent, tool, requested, outcome, startedAt }) => (
        <li key={id} className="relative flex items-center gap-x-3 px-4 py-1.5 hover:bg-hover">
          <Link to={joinPath("audit", id)} className="min-w-0 flex-1 after:absolute after:inset-0">
            <UntrustedText text={tool ?? requested} mono line />
          </Link>
          <span className="w-24 shrink-0 max-sm:hidden">
            <UntrustedText text={agent} line />
          </span>
          <span className="w-32 shrink-0 max-sm:w-auto">
            <OutcomeMark outcome={outcome} />
          </span>
          <span className="w-20 shrink-0 text-end text-xs text-soft">
            <Time at={startedAt} />
          </span>
        </li>
      ))}
    </ul>
  );
}

interface Seen {
  readonly name: string;
  readonly at: number | null;
}

function Agents({ agents }: { agents: readonly Seen[] }) {
  if (agents.length === 0)
    return <p className="rounded-md border border-line px-4 py-3 text-soft">None yet.</p>;
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {agents.slice(0, AGENTS).map(({ name, at }) => (
        <li key={name} className="relative flex items-center gap-x-3 px-4 py-1.5 hover:bg-hover">
          <Link to={joinPath("agents", name)} className="min-w-0 flex-1 after:absolute after:inset-0">
            <UntrustedText text={name} line />
          </Link>
          <span className="shrink-0 text-xs text-soft">
            {at === null ? (
              "never seen"
            ) : (
              <>
                last seen <Time at={at} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Those seen last first: by the use of a token, or a call. */
function lastSeen(
  agents: readonly AgentView[],
  tokens: TokenList["tokens"],
  calls: readonly CallView[],
): readonly Seen[] {
  const times = new Map<string, number>();
  const note = (agent: string | null, at: number | null) => {
    if (agent !== null && at !== null) times.set(agent, Math.max(at, times.get(agent) ?? 0));
  };
  for (const { agent, lastUsedAt } of tokens) note(agent, lastUsedAt);
  for (const { agent, startedAt } of calls) note(agent, startedAt);
  return agents
    .map(({ name }) => ({ name, at: times.get(name) ?? null }))
    .sort((a, b) => (b.at ?? 0) - (a.at ?? 0) || a.name.localeCompare(b.name));
}
