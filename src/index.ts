/** The public library: the same core as the daemon, in your own process. */

export { type Caller, SCOPES, type Scope } from "./caller.ts";
export { type LoadedSettings, loadSettings } from "./config/load.ts";
export type { ServerConfig, Settings } from "./config/settings.ts";
export { ERRORS, type ErrorCode, ToolkeepError } from "./errors.ts";
export type { EventMap, EventName } from "./events.ts";
export { createHub, type Hub } from "./hub.ts";
export type { HubOptions } from "./hub-options.ts";
export {
  type AiSdkModelOutput,
  type AiSdkOutput,
  type AiSdkTool,
  aiSdkTools,
} from "./session/adapters/ai-sdk.ts";
export {
  type AnthropicTool,
  type AnthropicToolResult,
  anthropicTools,
  runAnthropicCalls,
} from "./session/adapters/anthropic.ts";
export {
  type ChatTool,
  type ChatToolMessage,
  type FunctionCallOutput,
  openaiChatTools,
  openaiResponsesTools,
  type ResponsesTool,
  runOpenaiChatCalls,
  runOpenaiResponsesCalls,
} from "./session/adapters/openai.ts";
export type { Session, SessionOptions } from "./session/session.ts";
export type { Turn, TurnCall } from "./session/turn.ts";
export {
  type Answering,
  type Content,
  type Inquiry,
  OUTCOMES,
  type OutcomeName,
  type Tool,
  type ToolCall,
  type ToolFlags,
  type ToolOutcome,
  type ToolSource,
} from "./tool.ts";
