import type { ToolboxRecord } from "./contract.ts";

export type BuiltinToolbox = Pick<ToolboxRecord, "name" | "description" | "tools">;

const WEB_LOOKUP = ["web_search", "browse_url", "extract_links"];
const MEMORY = ["recall", "memorize", "update_memory", "forget"];

/** The built-in toolboxes with the tools that features add to them. */
export function builtinToolboxes(
  entriesOf: (toolbox: string) => readonly string[],
): readonly BuiltinToolbox[] {
  return BUILTIN_TOOLBOXES.map(({ name, description, tools }) =>
    toolbox(name, description, [...tools, ...entriesOf(name)]),
  );
}

/**
 * Written at every start and read-only. They also name planned tools, so that agents with the toolbox get those as
 * soon as they exist.
 */
const BUILTIN_TOOLBOXES: readonly BuiltinToolbox[] = [
  toolbox(
    "all",
    "Every native tool and every enabled custom tool. Tools of MCP servers and plugins are listed by name.",
    ["*"],
  ),
  toolbox("research", "The web, past conversations and their summaries, and memory to read and write.", [
    ...[...WEB_LOOKUP, "screenshot_url"],
    ...["search_history", "list_summaries", "read_summary"],
    ...[...MEMORY, "scout"],
  ]),
  toolbox("ops", "Operations: memory, secrets of the vault by name, redaction, HTTP requests, the system.", [
    ...MEMORY,
    ...["list_secrets", "set_secret", "delete_secret", "redact_text"],
    ...["http_request", "get_system_info", "scout"],
  ]),
  toolbox("code", "Work on tickets: projects, tickets and their notes, looking things up, memory to read.", [
    ...[...WEB_LOOKUP, "recall", "scout"],
  ]),
  toolbox("scout", "Looking around without changing anything; what a scout works with.", [
    ...["grep", "read_file", "list_directory"],
    ...WEB_LOOKUP,
  ]),
  toolbox("email", "Connected mail accounts: list, read, search, send, download attachments.", [
    ...["list_email_accounts", "list_emails", "read_email", "search_emails"],
    ...["send_email", "download_email_attachment"],
  ]),
  toolbox("calendar", "Connected calendars: list and search events, create, change and delete them.", [
    ...["list_calendars", "list_calendar_events", "search_calendar_events"],
    ...["create_calendar_event", "update_calendar_event", "delete_calendar_event"],
  ]),
  toolbox("address-book", "External address books, to read.", [
    ...["list_address_books", "search_address_book", "get_address_book_contact"],
  ]),
  toolbox("configurator", "Setting Toolkeep up in a conversation; most of it is granted only by name.", [
    ...["list_provider_types", "describe_provider_config", "list_providers", "list_models"],
    ...["request_provider_setup", "test_provider", "enable_provider_capability"],
    ...["get_default_models", "set_default_model", "set_default_provider"],
    ...["get_global_prompt", "set_global_prompt"],
    ...["get_avatar_settings", "set_avatar_style", "set_avatar_subject", "set_avatar_base_image"],
    ...["list_agents", "get_agent", "create_agent", "update_agent", "delete_agent"],
    ...["list_tools", "list_toolboxes", "create_toolbox", "update_toolbox", "delete_toolbox"],
    ...["get_contact", "update_contact"],
    ...MEMORY,
    ...["list_channels", "request_channel_setup", "test_channel"],
    ...["get_setup_health", "get_platform_config", "update_platform_config", "get_platform_logs"],
  ]),
  toolbox("knowledge", "What was gathered from folders and notes: search it, keep memories, bring in more.", [
    ...["search", "get", "get_chunk"],
    ...["memory_put", "memory_get", "memory_search"],
    ...["sync", "sync_run", "sync_status", "inbox_put"],
  ]),
];

/** Sorted in the same way as the entries of toolboxes that people make. */
function toolbox(name: string, description: string, tools: readonly string[]): BuiltinToolbox {
  return { name, description, tools: [...tools].sort() };
}
