import type { ReactNode } from "react";
import type { Home } from "../../api/contract.ts";
import { Bars, Sparkline } from "../../ui/chart.tsx";
import { duration } from "../../ui/time.tsx";

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** "Now" is the last minutes, so that it does not begin at nothing with each of them. */
const RECENT = 5;

/** The last hour in four small charts. */
export function Figures({ home: { minutes, tokens, waiting } }: { home: Home }) {
  const calls = minutes.map((minute) => minute.calls);
  const recent = minutes.slice(-RECENT);
  const total = sum(calls);
  const failed = sum(minutes.map((minute) => minute.failed));
  const refused = sum(minutes.map((minute) => minute.refused));
  const slowest = minutes.map((minute) => minute.p95Ms);
  const lastP95 = slowest.findLast((ms) => ms !== null) ?? null;
  const kept = Math.max(0, ...tokens.map(({ deferred }) => deferred));
  const most = tokens.find(({ deferred }) => deferred === kept);
  const decisions = waiting.approvals + waiting.questions;
  return (
    <section aria-labelledby="figures">
      <h2 id="figures" className="mb-2 text-base font-semibold">
        The last hour
      </h2>
      <div className="grid grid-cols-5 divide-x divide-line rounded-md border border-line max-lg:grid-cols-2 max-lg:divide-x-0 max-lg:divide-y max-sm:grid-cols-1">
        <Figure
          name="Calls per minute"
          value={perMinute(sum(recent.map((minute) => minute.calls)) / RECENT)}
          note={`${whole.format(total)} in the hour`}
        >
          <Bars values={calls} label={`Calls per minute over the last hour, ${total} in all`} />
        </Figure>
        <Figure
          name="Errors"
          value={total === 0 ? "–" : `${((failed / total) * 100).toFixed(failed === 0 ? 0 : 1)} %`}
          note={`${whole.format(failed)} failed, ${whole.format(refused)} refused`}
        >
          <Bars
            values={minutes.map((minute) => minute.failed)}
            tone="bad"
            label={`Failed calls per minute over the last hour, ${failed} in all`}
          />
        </Figure>
        <Figure
          name="Slowest 5 %"
          value={lastP95 === null ? "–" : `≥ ${duration(lastP95)}`}
          note="95th percentile"
        >
          <Sparkline
            values={slowest}
            tone="warn"
            label="95th percentile of the duration of calls, by minute"
          />
        </Figure>
        <Figure name="Pending decisions" value={whole.format(decisions)} note="approvals and questions" />
        <Figure
          name="Kept out of prompts"
          value={kept === 0 ? "–" : `${compact.format(kept)} tokens`}
          note={
            most && kept > 0
              ? `each prompt of ${most.agent}; ${compact.format(most.listed)} are in it`
              : "all tools fit into the lists"
          }
        >
          {most && kept > 0 && <Share part={most.deferred} whole={most.deferred + most.listed} />}
        </Figure>
      </div>
    </section>
  );
}

function Figure({
  name,
  value,
  note,
  children,
}: {
  name: string;
  value: string;
  note: string;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1 px-4 py-3">
      <div className="text-xs text-soft">{name}</div>
      <div className="text-xl font-semibold">{value}</div>
      <div className="truncate text-xs text-soft" title={note}>
        {note}
      </div>
      {children && <div className="mt-auto pt-2">{children}</div>}
    </div>
  );
}

function Share({ part, whole: all }: { part: number; whole: number }) {
  const share = all === 0 ? 0 : part / all;
  return (
    <svg
      role="img"
      aria-label={`${Math.round(share * 100)} % of the tools' tokens are kept out`}
      viewBox="0 0 240 8"
      preserveAspectRatio="none"
      className="h-2 w-full text-ok"
    >
      <rect width="240" height="8" className="fill-hover" />
      <rect width={240 * share} height="8" fill="currentColor" />
    </svg>
  );
}

function perMinute(calls: number): string {
  return calls === 0 ? "0" : calls < 10 ? calls.toFixed(1) : whole.format(Math.round(calls));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
