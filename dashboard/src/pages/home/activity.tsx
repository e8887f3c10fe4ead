import { joinPath } from "../../api/client.ts";
import type { AgentView, AuditPage, CallView, TokenList } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { Link, TextLink } from "../../ui/link.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { OutcomeMark } from "../audit/outcome-mark.tsx";

const MAX_CALLS = 8;
const MAX_AGENTS = 8;
/** Agents that run inside Toolkeep use no token; these calls tell when they were last seen. */
const CALLS_SCANNED = 100;

/** The latest calls, and when each agent was last seen. */
export function Activity({ agents }: { agents: readonly AgentView[] }) {
  const calls = useGet<AuditPage>("/audit", { params: { limit: CALLS_SCANNED } }).data?.calls;
  const tokens = useGet<TokenList>("/tokens").data?.tokens;
  return (
    <div className="grid grid-cols-5 gap-x-6 gap-y-4 max-lg:grid-cols-1">
      <section aria-labelledby="recent" className="col-span-3 min-w-0 max-lg:col-span-1">
        <Heading id="recent" to="/audit" linkText="All calls">
          Recent activity
        </Heading>
        {calls && <Calls calls={calls.slice(0, MAX_CALLS)} />}
      </section>
      <section aria-labelledby="seen" className="col-span-2 min-w-0 max-lg:col-span-1">
        <Heading id="seen" to="/agents" linkText={`All ${agents.length}`}>
          Agents
        </Heading>
        {calls && tokens && <Agents agents={sortByLastSeen(agents, tokens, calls)} />}
      </section>
    </div>
  );
}

function Heading({
  id,
  to,
  linkText,
  children,
}: {
  id: string;
  to: string;
  linkText: string;
  children: string;
}) {
  return (
    <div className="mb-2 flex items-baseline justify-between">
      <h2 id={id} className="text-base font-semibold">
        {children}
      </h2>
      <TextLink to={to}>{linkText}</TextLink>
    </div>
  );
}

function Calls({ calls }: { calls: readonly CallView[] }) {
  if (calls.length === 0)
    return (
      <p className="rounded-md border border-line px-4 py-3 text-soft">
        No calls yet. They appear here as your agents make them.
      </p>
    );
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

interface AgentActivity {
  readonly name: string;
  readonly lastSeenAt: number | null;
}

function Agents({ agents }: { agents: readonly AgentActivity[] }) {
  if (agents.length === 0)
    return (
      <div className="rounded-md border border-line px-4 py-3 text-soft">
        <p>No agents yet.</p>
        <p>
          <TextLink to="/agents?new=yes">Create agent</TextLink>
        </p>
      </div>
    );
  return (
    <ul className="divide-y divide-line rounded-md border border-line">
      {agents.slice(0, MAX_AGENTS).map(({ name, lastSeenAt }) => (
        <li key={name} className="relative flex items-center gap-x-3 px-4 py-1.5 hover:bg-hover">
          <Link to={joinPath("agents", name)} className="min-w-0 flex-1 after:absolute after:inset-0">
            <UntrustedText text={name} line />
          </Link>
          <span className="shrink-0 text-xs text-soft">
            {lastSeenAt === null ? (
              "never seen"
            ) : (
              <>
                last seen <Time at={lastSeenAt} />
              </>
            )}
          </span>
        </li>
      ))}
    </ul>
  );
}

/** Most recently seen first, by token use or call. */
function sortByLastSeen(
  agents: readonly AgentView[],
  tokens: TokenList["tokens"],
  calls: readonly CallView[],
): readonly AgentActivity[] {
  const lastSeen = new Map<string, number>();
  const record = (agent: string | null, at: number | null) => {
    if (agent !== null && at !== null) lastSeen.set(agent, Math.max(at, lastSeen.get(agent) ?? 0));
  };
  for (const { agent, lastUsedAt } of tokens) record(agent, lastUsedAt);
  for (const { agent, startedAt } of calls) record(agent, startedAt);
  return agents
    .map(({ name }) => ({ name, lastSeenAt: lastSeen.get(name) ?? null }))
    .sort((a, b) => (b.lastSeenAt ?? 0) - (a.lastSeenAt ?? 0) || a.name.localeCompare(b.name));
}
