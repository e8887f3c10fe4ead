import { cpus, totalmem } from "node:os";

/** Milliseconds of each of `count` calls of `work`, one after another. */
export async function latencies(count, work) {
  const times = [];
  for (let i = 0; i < count; i++) {
    const from = performance.now();
    await work();
    times.push(performance.now() - from);
  }
  return times;
}

/** Calls a second of `count` calls of `work`, `concurrency` at a time. */
export async function throughput(count, concurrency, work) {
  let left = count;
  const worker = async () => {
    while (left-- > 0) await work();
  };
  const from = performance.now();
  await Promise.all(Array.from({ length: concurrency }, worker));
  return count / ((performance.now() - from) / 1_000);
}

export function percentile(values, share) {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))];
}

export const median = (values) => percentile(values, 0.5);

/** What a reader must know to judge the numbers. */
export function machine() {
  const [cpu] = cpus();
  const memory = `${Math.round(totalmem() / 2 ** 30)} GB`;
  return `${cpus().length} × ${cpu?.model.trim() ?? "unknown CPU"}, ${memory}, ${process.platform}, Node ${process.versions.node}`;
}
