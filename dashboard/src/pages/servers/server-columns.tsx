import type { ServerLatency, ServerView } from "../../api/contract.ts";
import { Badge } from "../../ui/badge.tsx";
import type { Column } from "../../ui/data-table.tsx";
import { formatDuration } from "../../ui/time.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { displayState, ServerStateMark, STATES } from "./server-state.tsx";

export interface ServerRow {
  readonly server: ServerView;
  readonly latency: ServerLatency | undefined;
}

export const SERVER_COLUMNS: readonly Column<ServerRow>[] = [
  {
    id: "name",
    header: "Name",
    cell: ({ server }) => <UntrustedText text={server.name} line />,
    sortBy: ({ server }) => server.name.toLowerCase(),
    width: "minmax(8rem,1.2fr)",
  },
  {
    id: "state",
    header: "State",
    cell: ({ server }) => <ServerStateMark server={server} />,
    sortBy: ({ server }) => STATES[displayState(server)].label,
    width: "10rem",
    showOnPhone: true,
  },
  {
    id: "transport",
    wideOnly: true,
    header: "Transport",
    cell: ({ server }) => TRANSPORTS[server.transport],
    sortBy: ({ server }) => server.transport,
    width: "6rem",
  },
  {
    id: "era",
    wideOnly: true,
    header: "MCP version",
    cell: ({ server }) =>
      server.era && (
        <span title={server.era.era === "modern" ? "Modern MCP" : "Legacy MCP"}>{server.era.version}</span>
      ),
    sortBy: ({ server }) => server.era?.version ?? "",
    width: "6.5rem",
  },
  {
    id: "tools",
    header: "Tools",
    cell: ({ server }) => (
      <span className="inline-flex items-center gap-1.5">
        {server.waiting > 0 && (
          <Badge tone="warn" title="Changes you have not accepted yet">
            {server.waiting} held
          </Badge>
        )}
        {server.toolCount}
      </span>
    ),
    sortBy: ({ server }) => server.toolCount,
    width: "7rem",
    alignEnd: true,
  },
  {
    id: "latency",
    header: "Latency",
    cell: ({ latency }) =>
      latency && (
        <span title={`Median of recent calls; p95 is ${formatDuration(latency.p95Ms)}`}>
          {formatDuration(latency.medianMs)}
        </span>
      ),
    sortBy: ({ latency }) => latency?.medianMs ?? -1,
    width: "5.5rem",
    alignEnd: true,
  },
  {
    id: "error",
    header: "Last error",
    cell: ({ server }) =>
      server.lastError && (
        <span title={escapeInvisible(server.lastError)}>
          <UntrustedText text={server.lastError} line />
        </span>
      ),
    width: "minmax(0,1.6fr)",
  },
];

/** How a server is reached, as people read it. */
export const TRANSPORTS: Readonly<Record<ServerView["transport"], string>> = {
  stdio: "Program",
  http: "HTTP",
  sse: "HTTP (SSE)",
};
