import { setTimeout as delay } from "node:timers/promises";
import { describe, expect, test } from "vitest";
import { systemClock } from "../../../../src/lib/clock.ts";
import { openStore } from "../../../../src/machine/db/open.ts";
import type { Store } from "../../../../src/machine/db/store.ts";
import { interruptible } from "../../../support/interruptible.ts";
import { hasPostgres } from "../../../support/postgres.ts";
import { readySchema } from "../../../support/ready-schema.ts";
import { waitUntil } from "../../../support/wait-until.ts";

describe.runIf(hasPostgres())("a job that only one process may do", () => {
  test("is done by one of two, and by the other when the first closes", async () => {
    await using schema = await readySchema();
    await using first = await candidate(schema.url);
    await waitUntil("the first leads", () => first.leads);
    await using second = await candidate(schema.url);
    // Long enough for the second to have tried.
    await delay(300);
    expect(second.leads).toBe(false);
    await first.store.close();
    expect(first.leads).toBe(false);
    await waitUntil("the second leads", () => second.leads, 5_000);
  });

  test("passes on within seconds when the leader's connection is lost, and the leader is told", async () => {
    await using schema = await readySchema();
    await using line = await interruptible(schema.url);
    await using first = await candidate(line.url);
    await waitUntil("the first leads", () => first.leads);
    await using second = await candidate(schema.url);
    await line.interrupt();
    await waitUntil("the first knows", () => !first.leads, 2_000);
    await waitUntil("the second leads", () => second.leads, 5_000);
    await line.resume();
    await second.store.close();
    await waitUntil("the first leads again", () => first.leads, 10_000);
    expect(first.times).toBe(2);
  });

  test("is done anew by another when it ended, and an error of it is the caller's", async () => {
    await using schema = await readySchema();
    await using here = await opened(schema.url);
    await using there = await opened(schema.url);
    const { signal } = new AbortController();
    const failing = here.store.lead("job", () => Promise.reject(new Error("no")), signal);
    await expect(failing).rejects.toThrow("no");
    let done = 0;
    await there.store.lead("job", async () => void done++, signal);
    await here.store.lead("job", async () => void done++, signal);
    expect(done).toBe(2);
  });

  test("is not waited for by who only attempts it", async () => {
    await using schema = await readySchema();
    await using first = await candidate(schema.url);
    await waitUntil("the first leads", () => first.leads);
    await using second = await opened(schema.url);
    let done = 0;
    const { signal } = new AbortController();
    const attempt = () => second.store.attempt("job", async () => void done++, signal);
    expect(await attempt()).toBe(false);
    expect(done).toBe(0);
    await first.stop();
    expect(await attempt()).toBe(true);
    expect(await first.store.attempt("job", async () => void done++, signal)).toBe(true);
    expect(done).toBe(2);
    await expect(second.store.attempt("job", () => Promise.reject(new Error("no")), signal)).rejects.toThrow(
      "no",
    );
  });

  test("does not keep another job, or the same in another schema, from being done", async () => {
    await using schema = await readySchema();
    await using other = await readySchema();
    await using one = await candidate(schema.url, "sync");
    await using two = await candidate(schema.url, "clean");
    await using three = await candidate(other.url, "sync");
    await waitUntil("all lead", () => one.leads && two.leads && three.leads);
  });

  test("is given up as soon as its signal aborts, by whoever waits for it too", async () => {
    await using schema = await readySchema();
    await using first = await candidate(schema.url);
    await waitUntil("the first leads", () => first.leads);
    await using second = await opened(schema.url);
    const stop = new AbortController();
    const waiting = second.store.lead("job", async () => {}, stop.signal);
    stop.abort();
    await waiting;
    await first.stop();
    let done = 0;
    await second.store.lead("job", async () => void done++, new AbortController().signal);
    expect(done).toBe(1);
  });
});

interface Opened extends AsyncDisposable {
  readonly store: Store;
}

async function opened(url: string): Promise<Opened> {
  const store = await openStore({ home: "", databaseUrl: url, clock: systemClock });
  return { store, [Symbol.asyncDispose]: () => store.close() };
}

interface Candidate extends Opened {
  readonly leads: boolean;
  readonly times: number;
  stop(): Promise<void>;
}

/** Wants to lead a job from now on. */
async function candidate(url: string, job = "job"): Promise<Candidate> {
  const { store } = await opened(url);
  const stop = new AbortController();
  let leads = false;
  let times = 0;
  const work = (signal: AbortSignal) =>
    new Promise<void>((resolve) => {
      leads = true;
      times++;
      signal.addEventListener("abort", () => {
        leads = false;
        resolve();
      });
    });
  const leading = store.lead(job, work, stop.signal);
  const end = async () => {
    stop.abort();
    await leading;
  };
  return {
    store,
    get leads() {
      return leads;
    },
    get times() {
      return times;
    },
    stop: end,
    async [Symbol.asyncDispose]() {
      await end();
      await store.close();
    },
  };
}
