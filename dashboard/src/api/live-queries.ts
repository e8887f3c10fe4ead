import type { QueryClient } from "@tanstack/react-query";
import { invalidate } from "./use-api.ts";

/** Most changes are also recorded here. */
const ACTIONS = "/audit/actions";

/**
 * Which answers become stale after an event, as path prefixes. The dashboard subscribes only to the events listed here; add
 * one when a page reads something new.
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

/** Limits how often busy queries are fetched again. */
const BATCH_MS = 250;
/** Longer for the audit: its records are written up to 200 ms after the event. */
const AUDIT_BATCH_MS = 500;

/** Returns a function that invalidates, in batches, the queries that an event makes stale. */
export function createInvalidator(queries: QueryClient): (name: string) => void {
  const invalidateSoon = batchInvalidations(queries, BATCH_MS);
  const invalidateAudit = batchInvalidations(queries, AUDIT_BATCH_MS);
  return (name) => {
    if (name === "opened") {
      // Answers from before the connection may be stale; requests still in flight are not.
      void queries.invalidateQueries({}, { cancelRefetch: false });
      return;
    }
    if (name === "missed") {
      void queries.invalidateQueries();
      return;
    }
    for (const path of STALE_AFTER[name] ?? [])
      (name === "call.ended" || path === ACTIONS ? invalidateAudit : invalidateSoon)(path);
  };
}

function batchInvalidations(queries: QueryClient, ms: number): (path: string) => void {
  const pending = new Set<string>();
  const flush = () => {
    const paths = [...pending];
    pending.clear();
    void invalidate(queries, paths);
  };
  return (path) => {
    if (pending.size === 0) window.setTimeout(flush, ms);
    pending.add(path);
  };
}
