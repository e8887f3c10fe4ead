import type { QueryClient } from "@tanstack/react-query";
import { invalidate } from "./use-api.ts";

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
  "server.changed": ["/servers", "/tools", "/status", "/home"],
  "agent.changed": ["/agents", "/tools", "/tool-search", "/access", "/toolboxes", "/status"],
  "token.changed": ["/tokens"],
  "person.changed": ["/people", "/session"],
  "session.changed": ["/people", "/session"],
  "toolbox.changed": ["/toolboxes", "/agents", "/tools", "/tool-search", "/access"],
  "plugin.changed": ["/plugins", "/tools"],
  "project.changed": ["/projects"],
  "ticket.changed": ["/tickets", "/projects"],
  "task.changed": ["/tasks"],
  "question.asked": ["/questions", "/approvals", "/status", "/home"],
  "question.answered": ["/questions", "/approvals", "/status", "/home", "/rules"],
  "question.dismissed": ["/questions", "/approvals", "/status", "/home"],
  "notification.raised": ["/notifications", "/status", "/home"],
  "notification.dismissed": ["/notifications", "/status", "/home"],
  "rules.changed": ["/rules", "/questions", "/tools", "/agents"],
  "secret.changed": ["/secrets"],
  "source.changed": ["/sources", "/search"],
  "sync.progress": ["/sources"],
  "sync.ended": ["/sources", "/search", "/entities"],
  "settings.applied": ["/config", "/settings", "/servers", "/rules", "/tools"],
  "settings.rejected": ["/config", "/settings"],
};

/** Many calls end in a second: what they make stale is read again at most so often. */
const GATHER_MS = 250;
const CALLS_MS = 500;

/** Turns events into stale answers, several at once. Returns what to do with each event. */
export function staleness(queries: QueryClient): (name: string) => void {
  const waiting = new Set<string>();
  const flush = () => {
    const paths = [...waiting];
    waiting.clear();
    void invalidate(queries, paths);
  };
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
    if (waiting.size === 0) window.setTimeout(flush, name === "call.ended" ? CALLS_MS : GATHER_MS);
    for (const path of STALE_AFTER[name] ?? []) waiting.add(path);
  };
}
