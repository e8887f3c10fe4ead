/**
 * Words of MCP that the gateway needs. They are the SDK's constants, which a test compares: the SDK itself is not
 * loaded to serve clients, because its schemas would be most of what a resting daemon needs.
 */

export const META = {
  protocolVersion: "io.modelcontextprotocol/protocolVersion",
  clientInfo: "io.modelcontextprotocol/clientInfo",
  clientCapabilities: "io.modelcontextprotocol/clientCapabilities",
  serverInfo: "io.modelcontextprotocol/serverInfo",
  subscriptionId: "io.modelcontextprotocol/subscriptionId",
  logLevel: "io.modelcontextprotocol/logLevel",
} as const;

export const MODERN_VERSION = "2026-07-28";
/** Latest first. */
export const LEGACY_VERSIONS = ["2025-11-25", "2025-06-18", "2025-03-26", "2024-11-05"] as const;

/** What the `Mcp-Name` header repeats of the body, so that what stands between can tell requests apart. */
export const NAMED_BY: Readonly<Record<string, string>> = {
  "tools/call": "name",
  "prompts/get": "name",
  "resources/read": "uri",
  "tasks/get": "taskId",
  "tasks/update": "taskId",
  "tasks/cancel": "taskId",
};

/** Set by `toolkeep stdio`, whose clients have no headers to repeat parameters in, and write only where the settings let them. */
export const RELAY_HEADER = "toolkeep-relay";
