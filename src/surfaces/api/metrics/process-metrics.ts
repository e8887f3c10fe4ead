import { type IntervalHistogram, monitorEventLoopDelay, performance } from "node:perf_hooks";
import { type Metric, single } from "./prometheus.ts";

const RESOLUTION_MS = 20;

/** The process itself, under the names that dashboards for Node know. */
export class ProcessMetrics {
  #lag: IntervalHistogram | undefined;

  metrics(): Metric[] {
    const { user, system } = process.cpuUsage();
    const { heapUsed, heapTotal, rss, external } = process.memoryUsage();
    const { active, idle } = performance.eventLoopUtilization();
    return [
      single("process_cpu_user_seconds_total", "counter", "Time spent in user mode.", user / 1e6),
      single("process_cpu_system_seconds_total", "counter", "Time spent in system mode.", system / 1e6),
      single(
        "process_resident_memory_bytes",
        "gauge",
        "Memory that is in use, as the system counts it.",
        rss,
      ),
      single("nodejs_heap_size_used_bytes", "gauge", "Heap that is in use.", heapUsed),
      single("nodejs_heap_size_total_bytes", "gauge", "Heap that is reserved.", heapTotal),
      single("nodejs_external_memory_bytes", "gauge", "Memory of buffers.", external),
      single(
        "process_start_time_seconds",
        "gauge",
        "When the process began, since the epoch.",
        performance.timeOrigin / 1_000,
      ),
      single(
        "toolkeep_event_loop_active_seconds_total",
        "counter",
        "Time the event loop worked.",
        active / 1e3,
      ),
      single("toolkeep_event_loop_idle_seconds_total", "counter", "Time the event loop waited.", idle / 1e3),
      ...this.#lagMetrics(),
    ];
  }

  close(): void {
    this.#lag?.disable();
  }

  /** Measured only once somebody reads it, and from one reading to the next: a timer fires for it all the time. */
  #lagMetrics(): Metric[] {
    if (!this.#lag) {
      this.#lag = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
      this.#lag.enable();
      return [];
    }
    const seconds = (nanoseconds: number) => Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1e3);
    const [p50, p99, max] = [this.#lag.percentile(50), this.#lag.percentile(99), this.#lag.max].map(seconds);
    this.#lag.reset();
    return [
      single("nodejs_eventloop_lag_p50_seconds", "gauge", "Median lag since it was read last.", p50!),
      single("nodejs_eventloop_lag_p99_seconds", "gauge", "99th percentile of the lag since then.", p99!),
      single("nodejs_eventloop_lag_max_seconds", "gauge", "Longest lag since then.", max!),
    ];
  }
}
