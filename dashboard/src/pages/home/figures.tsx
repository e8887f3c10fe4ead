import type { ReactNode } from "react";
import { joinPath } from "../../api/client.ts";
import type { Home } from "../../api/contract.ts";
import { Bars, Sparkline } from "../../ui/chart.tsx";
import { TextLink } from "../../ui/link.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

const whole = new Intl.NumberFormat("en");
const compact = new Intl.NumberFormat("en", { notation: "compact", maximumFractionDigits: 1 });
/** "Now" is the last minutes, so that it does not begin at nothing with each of them. */
const RECENT = 5;

/** The last hour in three small charts, and what is so now. */
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
  const recent = minutes.slice(-RECENT);
  const total = sum(calls);
  const failed = sum(minutes.map((minute) => minute.failed));
  const refused = sum(minutes.map((minute) => minute.refused));
  const slowest = minutes.map((minute) => minute.p95Ms);
  const lastP95 = slowest.findLast((ms) => ms !== null) ?? null;
  return (
    <section aria-labelledby="last-hour" className="col-span-3 flex flex-col max-lg:col-span-1">
      <Heading id="last-hour">The last hour</Heading>
      <Tiles three>
        <Figure
          name="Calls per minute"
          value={perMinute(sum(recent.map((minute) => minute.calls)) / RECENT)}
          note={`${whole.format(total)} in the hour`}
        >
          <Bars values={calls} label={`Calls per minute over the last hour, ${total} in all`} />
        </Figure>
        <Figure
          name="Error rate"
          value={total === 0 ? "–" : percent(failed / total)}
          note={`${whole.format(failed)} failed, ${whole.format(refused)} refused`}
        >
          <Bars
            values={minutes.map((minute) => (minute.calls === 0 ? null : minute.failed / minute.calls))}
            max={1}
            tone="bad"
            label={`Share of the calls of each minute that failed, ${failed} of ${total} in the hour`}
          />
        </Figure>
        <Figure name="p95" value={lastP95 === null ? "–" : formatDuration(lastP95)} note="95th percentile">
          <Sparkline
            values={slowest}
            tone="warn"
            label="95th percentile of the duration of calls, by minute"
          />
        </Figure>
      </Tiles>
    </section>
  );
}

function Now({ home: { tokens, waiting } }: { home: Home }) {
  const kept = Math.max(0, ...tokens.map(({ deferred }) => deferred));
  const most = kept === 0 ? undefined : tokens.find(({ deferred }) => deferred === kept);
  const decisions = waiting.approvals + waiting.questions;
  return (
    <section aria-labelledby="now" className="col-span-2 flex flex-col max-lg:col-span-1">
      <Heading id="now">Now</Heading>
      <Tiles>
        <Figure
          name="Pending decisions"
          value={whole.format(decisions)}
          note={
            decisions === 0 ? "approvals and questions" : <TextLink to="/approvals">Look at them</TextLink>
          }
        />
        <Figure
          name="Prompt tokens saved"
          value={most ? `${compact.format(kept)} of ${compact.format(kept + most.listed)}` : "–"}
          note={
            most ? (
              <TextLink to={joinPath("agents", most.agent)}>
                <UntrustedText text={`in each prompt of ${most.agent}`} line />
              </TextLink>
            ) : (
              "every tool fits in the lists"
            )
          }
        >
          {most && <Share part={most.deferred} whole={most.deferred + most.listed} />}
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

/** Two beside each other on a phone, too. */
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

function Share({ part, whole: all }: { part: number; whole: number }) {
  const share = all === 0 ? 0 : part / all;
  return (
    <svg
      role="img"
      aria-label={`${Math.round(share * 100)} % of the tools' tokens are saved`}
      viewBox="0 0 240 8"
      preserveAspectRatio="none"
      className="h-2 w-full text-ok"
    >
      <rect width="240" height="8" className="fill-hover" />
      <rect width={240 * share} height="8" fill="currentColor" />
    </svg>
  );
}

function percent(share: number): string {
  return `${(share * 100).toFixed(share === 0 ? 0 : 1)} %`;
}

function perMinute(calls: number): string {
  return calls === 0 ? "0" : calls < 10 ? calls.toFixed(1) : whole.format(Math.round(calls));
}

function sum(values: readonly number[]): number {
  return values.reduce((all, value) => all + value, 0);
}
