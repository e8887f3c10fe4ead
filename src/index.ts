/** The public library: the same core as the daemon, in your own process. */

export {
  type AiSdkModelOutput,
  type AiSdkOutput,
  type AiSdkTool,
  aiSdkTools,
} from "./call/conversation/model-shapes/ai-sdk.ts";
export {
  type AnthropicTool,
  type AnthropicToolResult,
  anthropicTools,
  runAnthropicCalls,
} from "./call/conversation/model-shapes/anthropic.ts";
export {
  type ChatTool,
  type ChatToolMessage,
  type FunctionCallOutput,
  openaiChatTools,
  openaiResponsesTools,
  type ResponsesTool,
  runOpenaiChatCalls,
  runOpenaiResponsesCalls,
} from "./call/conversation/model-shapes/openai.ts";
export type { Session, SessionOptions } from "./call/conversation/session.ts";
export type { Turn, TurnCall } from "./call/conversation/turn.ts";
export { type Caller, SCOPES, type Scope } from "./contract/caller.ts";
export { ERRORS, type ErrorCode, ToolkeepError } from "./contract/errors.ts";
export type { EventMap, EventName } from "./contract/events.ts";
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
} from "./contract/tool.ts";
export type { HubOptions } from "./hub.ts";
export { createHub, type Hub } from "./hub.ts";
export { type LoadedSettings, loadSettings } from "./machine/config/load.ts";
export type { ServerConfig, Settings } from "./machine/config/settings.ts";
