import type { Vault } from "../../call/vault/vault.ts";
import type { ClosableSource } from "../../contract/tool.ts";
import { trackCalls } from "../../contract/track-calls.ts";
import { RunningCalls } from "../../lib/flow/running-calls.ts";
import type { Reach } from "../../lib/net/reach.ts";
import type { Settings } from "../../machine/config/settings.ts";
import type { Processes } from "../../machine/process/processes.ts";
import { browseUrlTool } from "./browse-url.ts";
import { extractLinksTool } from "./extract-links.ts";
import { httpRequestTool } from "./http-request.ts";
import { screenshotUrlTool } from "./screenshot-url.ts";
import { createWebClient, type Network, PORTS_SETTING, WEB_SETTING } from "./web-client.ts";
import { webSearchTool } from "./web-search.ts";

export interface WebToolsDeps {
  readonly settings: () => Pick<Settings, "web" | "limits">;
  readonly vault: Pick<Vault, "has" | "read" | "conceal">;
  readonly processes: Processes;
  readonly baseEnv: NodeJS.ProcessEnv;
  /** How to resolve names; by default as this machine does. */
  readonly network?: Network | undefined;
}

/** The web tools. They reach the public internet and hosts that people allowed. */
export function createWebTools({
  settings,
  vault,
  processes,
  baseEnv,
  network,
}: WebToolsDeps): ClosableSource {
  const web = () => settings().web;
  const trustedHosts = () => new Set(web().allowedHosts);
  const allowedPorts = () => web().allowedPorts;
  const client = createWebClient({ trustedHosts, allowedPorts, limits: web, network });
  const searchClient = createWebClient({
    // The address of the provider comes from the settings, so it is trusted even if it is not public.
    trustedHosts: () => new Set(web().search.url === null ? [] : [new URL(web().search.url!).hostname]),
    limits: () => ({ timeoutMs: web().search.timeoutMs, maxBytes: web().maxBytes }),
    network,
  });
  const reach: Reach = {
    ...{ trustedHosts, setting: WEB_SETTING },
    ports: () => ({ allowed: allowedPorts(), setting: PORTS_SETTING }),
    ...network,
  };
  const running = new RunningCalls();
  const tools = [
    webSearchTool({
      searchClient,
      settings: () => web().search,
      vault,
    }),
    browseUrlTool({ client }),
    extractLinksTool({ client }),
    screenshotUrlTool({ settings, processes, baseEnv, reach }),
    httpRequestTool({ client }),
  ].map((tool) => trackCalls(tool, running));
  return {
    name: "web",
    tools: () => tools,
    onChange: () => () => {},
    async close() {
      await running.close();
      await Promise.all([client.close(), searchClient.close()]);
    },
  };
}
