/** The public library: the same core as the daemon, in your own process. */

export { type LoadedSettings, loadSettings } from "./config/load.ts";
export type { ServerConfig, Settings } from "./config/settings.ts";
export { ERRORS, type ErrorCode, ToolkeepError } from "./errors.ts";
export type { EventMap, EventName } from "./events.ts";
export { createHub, type Hub, type HubOptions } from "./hub.ts";
export {
  type Answering,
  type Caller,
  type Content,
  type Inquiry,
  OUTCOMES,
  type OutcomeName,
  SCOPES,
  type Scope,
  type Tool,
  type ToolCall,
  type ToolFlags,
  type ToolOutcome,
  type ToolSource,
} from "./tool.ts";
