import type { ServerState, ServerView } from "../../api/contract.ts";
import { StateMark } from "../../ui/badge.tsx";
import { Link, TextLink } from "../../ui/link.tsx";
import { displayState, STATES } from "../servers/server-state.tsx";

/** The number of servers in each state, linked to the filtered list. */
export function ServersByState({ servers }: { servers: readonly ServerView[] }) {
  const states = (Object.keys(STATES) as ServerState[]).map((state) => ({
    state,
    count: servers.filter((server) => displayState(server) === state).length,
  }));
  return (
    <section aria-labelledby="by-state">
      <div className="mb-2 flex items-baseline justify-between">
        <h2 id="by-state" className="text-base font-semibold">
          Servers
        </h2>
        <TextLink to="/servers">All {servers.length}</TextLink>
      </div>
      <ul className="flex flex-wrap gap-2">
        {states
          .filter(({ count }) => count > 0)
          .map(({ state, count }) => (
            <li key={state}>
              <Link
                to={`/servers?state=${state}`}
                className="flex items-center gap-2 rounded-md border border-line px-3 py-1.5 hover:bg-hover"
              >
                <StateMark tone={STATES[state].tone}>{STATES[state].label}</StateMark>
                <span className="font-semibold">{count}</span>
              </Link>
            </li>
          ))}
        {servers.length === 0 && <li className="text-soft">No servers yet.</li>}
      </ul>
    </section>
  );
}
