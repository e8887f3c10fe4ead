import type { ReactNode } from "react";
import { joinPath } from "../../api/client.ts";
import type { Home } from "../../api/contract.ts";
import { Bars, Sparkline } from "../../ui/chart.tsx";
import { TextLink } from "../../ui/link.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const integerFormat = new Intl.NumberFormat("en");
const compactFormat = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** The current rate averages these minutes: the current minute alone would start at zero each time. */
const RECENT_MINUTES = 5;

/** Three small charts of the last hour, and the current figures. */
export function Figures({ home }: { home: Home }) {
  return (
    <div className="grid grid-cols-5 gap-x-6 gap-y-4 max-lg:grid-cols-1">
      <LastHour home={home} />
      <Now home={home} />
    </div>
  );
}

function LastHour({ home: { minutes } }: { home: Home }) {
  const calls = minutes.map((minute) => minute.calls);
  const recent = minutes.slice(-RECENT_MINUTES);
  const total = sum(calls);
  const failed = sum(minutes.map((minute) => minute.failed));
  const refused = sum(minutes.map((minute) => minute.refused));
  const p95ByMinute = minutes.map((minute) => minute.p95Ms);
  const lastP95 = p95ByMinute.findLast((ms) => ms !== null) ?? null;
  return (
    <section aria-labelledby="last-hour" className="col-span-3 flex flex-col max-lg:col-span-1">
      <Heading id="last-hour">Last hour</Heading>
      <Tiles three>
        <Figure
          name="Calls per minute"
          value={formatRate(sum(recent.map((minute) => minute.calls)) / RECENT_MINUTES)}
          note={`${integerFormat.format(total)} in the last hour`}
        >
          <Bars values={calls} label={`Calls per minute over the last hour, ${total} in total`} />
        </Figure>
        <Figure
          name="Error rate"
          value={total === 0 ? "–" : formatPercent(failed / total)}
          note={`${integerFormat.format(failed)} failed, ${integerFormat.format(refused)} refused`}
        >
          <Bars
            values={minutes.map((minute) => (minute.calls === 0 ? null : minute.failed / minute.calls))}
            max={1}
            tone="bad"
            label={`Share of calls that failed, by minute; ${failed} of ${total} in the last hour`}
          />
        </Figure>
        <Figure
          name="p95 latency"
          value={lastP95 === null ? "–" : formatDuration(lastP95)}
          note="95% of calls were faster"
        >
          <Sparkline values={p95ByMinute} tone="warn" label="95th percentile of call duration, by minute" />
        </Figure>
      </Tiles>
    </section>
  );
}

function Now({ home: { tokens, waiting } }: { home: Home }) {
  const savedTokens = Math.max(0, ...tokens.map(({ deferred }) => deferred));
  const topAgent = savedTokens === 0 ? undefined : tokens.find(({ deferred }) => deferred === savedTokens);
  const pendingDecisions = waiting.approvals + waiting.questions;
  return (
    <section aria-labelledby="now" className="col-span-2 flex flex-col max-lg:col-span-1">
      <Heading id="now">Now</Heading>
      <Tiles>
        <Figure
          name="Pending decisions"
          value={integerFormat.format(pendingDecisions)}
          note={
            pendingDecisions === 0 ? "Approvals and questions" : <TextLink to="/approvals">Review</TextLink>
          }
        />
        <Figure
          name="Prompt tokens saved"
          value={
            topAgent
              ? `${compactFormat.format(savedTokens)} of ${compactFormat.format(savedTokens + topAgent.listed)}`
              : "–"
          }
          note={
            topAgent ? (
              <TextLink to={joinPath("agents", topAgent.agent)}>
                <UntrustedText text={`In each prompt of ${topAgent.agent}`} line />
              </TextLink>
            ) : (
              "No tools are deferred"
            )
          }
        >
          {topAgent && <ShareBar part={topAgent.deferred} total={topAgent.deferred + topAgent.listed} />}
        </Figure>
      </Tiles>
    </section>
  );
}

function Heading({ id, children }: { id: string; children: string }) {
  return (
    <h2 id={id} className="mb-2 text-base font-semibold">
      {children}
    </h2>
  );
}

/** Two columns on a phone as well. */
function Tiles({ three = false, children }: { three?: boolean; children: ReactNode }) {
  return (
    <div
      className={`grid flex-1 divide-x divide-line rounded-md border border-line ${three ? "grid-cols-3 max-sm:grid-cols-2 max-sm:divide-x-0 max-sm:*:last:col-span-2" : "grid-cols-2"}`}
    >
      {children}
    </div>
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
  note: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1 px-4 py-3">
      <div className="text-xs text-soft">{name}</div>
      <div className="text-xl font-semibold">{value}</div>
      <div className="text-xs text-soft">{note}</div>
      {children && <div className="mt-auto pt-2">{children}</div>}
    </div>
  );
}

function ShareBar({ part, total }: { part: number; total: number }) {
  const share = total === 0 ? 0 : part / total;
  return (
    <svg
      role="img"
      aria-label={`${Math.round(share * 100)}% of tool tokens saved`}
      viewBox="0 0 240 8"
      preserveAspectRatio="none"
      className="h-2 w-full text-ok"
    >
      <rect width="240" height="8" className="fill-hover" />
      <rect width={240 * share} height="8" fill="currentColor" />
    </svg>
  );
}

function formatPercent(share: number): string {
  return `${(share * 100).toFixed(share === 0 ? 0 : 1)}%`;
}

function formatRate(calls: number): string {
  return calls === 0 ? "0" : calls < 10 ? calls.toFixed(1) : integerFormat.format(Math.round(calls));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
