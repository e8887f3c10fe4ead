import type { Scope } from "../../contract/caller.ts";
import { type Definition, failed, toolOf } from "../../contract/define-tool.ts";
import type { Domain, Tool, ToolFlags, ToolSource } from "../../contract/tool.ts";

/** The description of a tool that does not exist yet. */
interface Plan {
  readonly description: string;
  readonly flags?: Partial<ToolFlags>;
  /** Default: that of its group. */
  readonly scope?: Scope;
}

/** Tools that come together. */
interface Group {
  readonly domain: Domain;
  readonly scope: Scope;
  /** They manage Toolkeep itself: only by name, only for main agents. */
  readonly isPlatform?: boolean;
  /** The condition that they wait for, as a clause. */
  readonly until: string;
  readonly tools: Readonly<Record<string, Plan>>;
}

const READS: Partial<ToolFlags> = { readOnly: true, concurrencySafe: true };
const DESTROYS: Partial<ToolFlags> = { destructive: true };

const reads = (description: string): Plan => ({ description, flags: READS });
const changes = (description: string): Plan => ({ description });
const destroys = (description: string): Plan => ({ description, flags: DESTROYS });

const GROUPS: readonly Group[] = [
  {
    domain: "agents",
    scope: "tools",
    until: "agents run inside Toolkeep",
    tools: {
      scout: reads("Hand heavy read-only exploration to a cheaper model and get its findings."),
      spawn_agent: changes("Start a sub-agent for a piece of work."),
    },
  },
  {
    domain: "history",
    scope: "tools",
    until: "conversations are summarised",
    tools: {
      list_summaries: reads("List the summaries of past conversations."),
      read_summary: reads("Read the summary of a conversation."),
    },
  },
  {
    domain: "email",
    scope: "tools",
    until: "mail accounts can be connected",
    tools: {
      list_email_accounts: reads("List the connected mail accounts."),
      list_emails: reads("List the messages of a folder."),
      read_email: reads("Read a message."),
      search_emails: reads("Search messages."),
      send_email: destroys("Send a message."),
      download_email_attachment: changes("Save an attachment to the workspace."),
    },
  },
  {
    domain: "calendar",
    scope: "tools",
    until: "calendars can be connected",
    tools: {
      list_calendars: reads("List the connected calendars."),
      list_calendar_events: reads("List the events of a time span."),
      search_calendar_events: reads("Search events."),
      create_calendar_event: changes("Create an event."),
      update_calendar_event: destroys("Change an event."),
      delete_calendar_event: destroys("Delete an event."),
    },
  },
  {
    domain: "address-book",
    scope: "tools",
    until: "address books can be connected",
    tools: {
      list_address_books: reads("List the connected address books."),
      search_address_book: reads("Search people in the address books."),
      get_address_book_contact: reads("Read an entry of an address book."),
    },
  },
  {
    domain: "providers",
    scope: "admin",
    isPlatform: true,
    until: "Toolkeep talks to model providers itself",
    tools: {
      list_provider_types: reads("List the kinds of providers."),
      describe_provider_config: reads("Show what a kind of provider has to be told."),
      list_providers: reads("List the connected providers."),
      list_models: reads("List the models of the providers."),
      request_provider_setup: changes("Ask a person to connect a provider; its key goes to the vault."),
      test_provider: changes("Test a provider."),
      enable_provider_capability: changes("Use a connected provider for something more."),
      get_default_models: reads("Show the default models and providers."),
      set_default_model: changes("Set the default model of a service."),
      set_default_provider: changes("Set the default provider of a capability."),
    },
  },
  {
    domain: "prompts",
    scope: "admin",
    isPlatform: true,
    until: "agents run inside Toolkeep",
    tools: {
      get_global_prompt: reads("Read the prompt that every agent gets."),
      set_global_prompt: destroys("Replace the prompt that every agent gets."),
    },
  },
  {
    domain: "avatars",
    scope: "admin",
    isPlatform: true,
    until: "agents have avatars",
    tools: {
      get_avatar_settings: reads("Show how avatars are made."),
      set_avatar_style: changes("Set the style of avatars."),
      set_avatar_subject: changes("Set what avatars show."),
      set_avatar_base_image: changes("Set the image that avatars begin with."),
    },
  },
  {
    domain: "contacts",
    scope: "admin",
    isPlatform: true,
    until: "Toolkeep keeps contacts",
    tools: {
      get_contact: reads("Read the record of a contact."),
      update_contact: changes("Write the record of a contact."),
    },
  },
  {
    domain: "channels",
    scope: "admin",
    isPlatform: true,
    until: "channels can be connected",
    tools: {
      list_channels: reads("List the connected channels."),
      request_channel_setup: changes("Ask a person to connect a channel; its key goes to the vault."),
      test_channel: changes("Test a channel."),
    },
  },
];

/**
 * Tools that toolboxes name and that are not there yet. People see them with the reason; models see none of them. The
 * source comes last, so a tool that has come takes the place of its plan.
 */
export function createPlannedTools(): ToolSource {
  const tools = GROUPS.flatMap((group) =>
    Object.entries(group.tools).map(([name, plan]) => plannedTool(name, plan, group)),
  );
  return { name: "planned", tools: () => tools, onChange: () => () => {} };
}

function plannedTool(name: string, plan: Plan, group: Group): Tool {
  const { domain, until, isPlatform = false } = group;
  const reason = `${name} is not available yet: it comes when ${until}`;
  const definition: Definition<Record<never, never>> = {
    name,
    title: name,
    domain,
    description: plan.description,
    properties: {},
    required: [],
    ...(plan.flags && { flags: plan.flags }),
    scope: plan.scope ?? group.scope,
    availability: isPlatform ? "main" : "both",
    status: () => ({ kind: "planned", reason }),
    run: async () => failed(reason),
  };
  const from = { origin: isPlatform ? "platform" : "native", floor: false, wildcard: !isPlatform };
  return toolOf(definition, from, () => undefined);
}
