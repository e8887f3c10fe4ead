import { joinPath } from "../../api/client.ts";
import type { ServerLogEntry, ServerLogPage } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { classes } from "../../ui/classes.ts";
import { EmptyState, QueryView } from "../../ui/states.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const LINES = 300;
const EVERY_MS = 2_000;
const clock = new Intl.DateTimeFormat("en-GB", { timeStyle: "medium" });

/** The last lines that the server wrote beside its answers, newest first, and what became of it. */
export function ServerLog({ name }: { name: string }) {
  const log = useGet<ServerLogPage>(joinPath("servers", name, "logs"), {
    params: { lines: LINES },
    refetchEveryMs: EVERY_MS,
  });
  return (
    <QueryView query={log}>
      {({ entries, junkLines }) =>
        entries.length === 0 ? (
          <EmptyState title="It has written nothing">
            Lines come here since the daemon started; they are not stored.
          </EmptyState>
        ) : (
          <>
            {junkLines > 0 && (
              <p className="border-b border-line px-4 py-2 text-soft">
                {junkLines} lines on its stdout were no messages of MCP; they were left out.
              </p>
            )}
            <ol className="py-1 font-mono text-xs">
              {entries.toReversed().map((entry) => (
                <Line key={entry.seq} entry={entry} />
              ))}
            </ol>
          </>
        )
      }
    </QueryView>
  );
}

function Line({ entry: { at, kind, level, text, count } }: { entry: ServerLogEntry }) {
  const isBad = level === "error" || level === "critical" || level === "alert" || level === "emergency";
  return (
    <li className="flex gap-2 px-4 py-0.5 hover:bg-hover">
      <time dateTime={new Date(at).toISOString()} className="shrink-0 text-soft">
        {clock.format(at)}
      </time>
      <span className="w-14 shrink-0 text-soft">{level ?? kind}</span>
      <span className={classes("min-w-0", kind === "state" && "text-accent", isBad && "text-bad")}>
        <UntrustedText text={text} max={600} />
        {count !== undefined && count > 1 && <span className="text-soft"> ({count} in a row)</span>}
      </span>
    </li>
  );
}
