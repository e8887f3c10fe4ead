import { statfs } from "node:fs/promises";
import {
  arch,
  availableParallelism,
  cpus,
  freemem,
  loadavg,
  platform,
  release,
  totalmem,
  uptime,
} from "node:os";
import { defineGranted, output } from "../../contract/define-native-tool.ts";
import type { Tool, ToolSource } from "../../contract/tool.ts";
import type { Clock } from "../../lib/clock.ts";
import { iso } from "../../lib/text/time-text.ts";

export interface SystemDeps {
  readonly home: string;
  readonly version: string;
  readonly clock: Clock;
}

const MEGABYTE = 1024 * 1024;

export function createSystemTools(deps: SystemDeps): ToolSource {
  const tools = [systemInfoTool(deps)];
  return { name: "system", tools: () => tools, onChange: () => () => {} };
}

/** Leaves out the names of the machine, its users and networks, and the environment, because they are private. */
function systemInfoTool({ home, version, clock }: SystemDeps): Tool {
  return defineGranted<Record<never, never>>({
    domain: "system",
    scope: "tools",
    name: "get_system_info",
    title: "Show the system",
    description:
      "Show the machine that Toolkeep runs on: operating system, processors and load, memory, disk space of the workspaces, the time, and the versions of Node.js and Toolkeep.",
    properties: {},
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    async run() {
      const [load1 = 0, load5 = 0, load15 = 0] = loadavg();
      const info = {
        time: iso(clock()),
        time_zone: Intl.DateTimeFormat().resolvedOptions().timeZone,
        os: { platform: platform(), release: release(), arch: arch(), uptime_secs: Math.round(uptime()) },
        cpu: {
          model: cpus()[0]?.model.trim() || "unknown",
          count: availableParallelism(),
          load: [load1, load5, load15].map((load) => Math.round(load * 100) / 100),
        },
        memory_mb: { total: toMegabytes(totalmem()), free: toMegabytes(freemem()) },
        disk_mb: await readDiskSpace(home),
        node: process.versions.node,
        toolkeep: {
          version,
          uptime_secs: Math.round(process.uptime()),
          memory_mb: toMegabytes(process.memoryUsage.rss()),
        },
      };
      return output(JSON.stringify(info, null, 2), info);
    },
  });
}

/** Null if the file system does not report it. */
async function readDiskSpace(folder: string): Promise<{ total: number; free: number } | null> {
  try {
    const { bsize, blocks, bavail } = await statfs(folder);
    return { total: toMegabytes(bsize * blocks), free: toMegabytes(bsize * bavail) };
  } catch {
    return null;
  }
}

function toMegabytes(bytes: number): number {
  return Math.round(bytes / MEGABYTE);
}
