import type { QueryClient } from "@tanstack/react-query";
import { invalidate } from "./use-api.ts";

/** What people do is in the audit, too. */
const ACTIONS = "/audit/actions";

/**
 * Which answers are no longer true after an event: the beginnings of their paths. An event that is not here is not
 * listened to; add yours when a page reads something new.
 */
export const STALE_AFTER: Readonly<Record<string, readonly string[]>> = {
  "call.ended": ["/audit", "/home"],
  "tools.changed": [
    "/tools",
    "/tool-search",
    "/access",
    "/servers",
    "/toolboxes",
    "/agents",
    "/status",
    "/home",
  ],
  "server.state": ["/servers", "/status", "/home"],
  "server.changed": ["/servers", "/tools", "/status", "/home", ACTIONS],
  "agent.changed": ["/agents", "/tools", "/tool-search", "/access", "/toolboxes", "/status", ACTIONS],
  "token.changed": ["/tokens", ACTIONS],
  "person.changed": ["/people", "/session", ACTIONS],
  "session.changed": ["/people", "/session", ACTIONS],
  "toolbox.changed": ["/toolboxes", "/agents", "/tools", "/tool-search", "/access", ACTIONS],
  "plugin.changed": ["/plugins", "/tools", ACTIONS],
  "project.changed": ["/projects", ACTIONS],
  "ticket.changed": ["/tickets", "/projects", ACTIONS],
  "task.changed": ["/tasks"],
  "question.asked": ["/questions", "/status", "/home"],
  "question.answered": ["/questions", "/status", "/home", "/rules", ACTIONS],
  "question.dismissed": ["/questions", "/status", "/home", ACTIONS],
  "notification.raised": ["/notifications", "/status", "/home"],
  "notification.dismissed": ["/notifications", "/status", "/home", ACTIONS],
  "rules.changed": ["/rules", "/questions", "/tools", "/agents", ACTIONS],
  "secret.changed": ["/secrets", ACTIONS],
  "source.changed": ["/sources", "/search", ACTIONS],
  "memory.changed": ["/memories", "/search", ACTIONS],
  "inbox.changed": ["/inbox", "/sources", ACTIONS],
  "sync.progress": ["/sources"],
  "sync.ended": ["/sources", "/search", "/entities"],
  "settings.applied": ["/config", "/settings", "/servers", "/rules", "/tools", ACTIONS],
  "settings.rejected": ["/config", "/settings"],
};

/** Many things happen in a second: what they make stale is read again at most so often. */
const GATHER_MS = 250;
/** The same for what is read from records, which are written up to 200 ms after what they tell of. */
const WRITTEN_MS = 500;

/** Turns events into stale answers, several at once. Returns what to do with each event. */
export function staleness(queries: QueryClient): (name: string) => void {
  const soon = gather(queries, GATHER_MS);
  const written = gather(queries, WRITTEN_MS);
  return (name) => {
    if (name === "opened") {
      // What was read before anybody listened may be old already; what is being read is not.
      void queries.invalidateQueries({}, { cancelRefetch: false });
      return;
    }
    if (name === "missed") {
      void queries.invalidateQueries();
      return;
    }
    for (const path of STALE_AFTER[name] ?? [])
      (name === "call.ended" || path === ACTIONS ? written : soon)(path);
  };
}

function gather(queries: QueryClient, ms: number): (path: string) => void {
  const waiting = new Set<string>();
  const flush = () => {
    const paths = [...waiting];
    waiting.clear();
    void invalidate(queries, paths);
  };
  return (path) => {
    if (waiting.size === 0) window.setTimeout(flush, ms);
    waiting.add(path);
  };
}
