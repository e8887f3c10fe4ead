import { joinPath } from "../../api/client.ts";
import type { ServerLogEntry, ServerLogPage } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { classes } from "../../ui/classes.ts";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const MAX_LINES = 300;
const REFETCH_MS = 2_000;
const timeFormat = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** The latest log lines and state changes of a server, newest first. */
export function ServerLog({ name }: { name: string }) {
  const log = useGet<ServerLogPage>(joinPath("servers", name, "logs"), {
    params: { lines: MAX_LINES },
    refetchEveryMs: REFETCH_MS,
  });
  return (
    <QueryView query={log}>
      {({ entries, junkLines }) =>
        entries.length === 0 ? (
          <EmptyState title="No log lines yet">
            What the server writes to its log appears here. Lines are kept in memory until the daemon stops.
          </EmptyState>
        ) : (
          <>
            {junkLines > 0 && (
              <p className="border-b border-line px-4 py-2 text-soft">
                Skipped {junkLines} {junkLines === 1 ? "line" : "lines"} on stdout that were not MCP messages.
              </p>
            )}
            <ol className="py-1 font-mono text-xs">
              {entries.toReversed().map((entry) => (
                <LogLine key={entry.seq} entry={entry} />
              ))}
            </ol>
          </>
        )
      }
    </QueryView>
  );
}

function LogLine({ entry: { at, kind, level, text, count } }: { entry: ServerLogEntry }) {
  const isBad = level === "error" || level === "critical" || level === "alert" || level === "emergency";
  return (
    <li className="flex gap-2 px-4 py-0.5 hover:bg-hover">
      <time dateTime={new Date(at).toISOString()} className="shrink-0 text-soft">
        {timeFormat.format(at)}
      </time>
      <span className="w-14 shrink-0 text-soft">{level ?? kind}</span>
      <span className={classes("min-w-0", kind === "state" && "text-accent", isBad && "text-bad")}>
        <UntrustedText text={text} max={600} />
        {count !== undefined && count > 1 && <span className="text-soft"> ({count} times)</span>}
      </span>
    </li>
  );
}
