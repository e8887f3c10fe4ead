import type { Caller } from "../../contract/caller.ts";
import { defineGranted, failed, output } from "../../contract/define-native-tool.ts";
import type { JsonSchema, Tool, ToolResult, ToolSource } from "../../contract/tool.ts";
import { isRecord } from "../../lib/json.ts";
import { iso } from "../../lib/text/time-text.ts";
import { outputPage, PAGE_PROPERTIES, type PageArgs, pageRequest } from "../../machine/db/query/paging.ts";
import { requireAgreement } from "../questions/agreement.ts";
import type { Questions } from "../questions/questions.ts";
import { withoutCredentials } from "./credentials.ts";
import { SECRET_NAME } from "./placeholder.ts";
import type { SecretInfo } from "./secret.ts";
import type { Vault } from "./vault.ts";

export interface VaultToolDeps {
  readonly vault: Pick<Vault, "list" | "put" | "delete" | "redact">;
  readonly questions: Pick<Questions, "ask">;
  /** The name of an agent, if it still exists. */
  readonly agentName: (id: string) => string | undefined;
}

const DOMAIN = { domain: "vault", scope: "tools" } as const;
const NAME: JsonSchema = {
  type: "string",
  pattern: SECRET_NAME,
  description: "The secret: capitals, digits and _, such as GITHUB_TOKEN.",
};
/** Shorter values are not recognised in outputs and could not be kept out of them. */
const SHORTEST = 6;
/** Every encoding of a value is searched for in every text. Agents may set many, so this has to stay cheap. */
const LONGEST = 4_096;
/** How many secrets one agent may have set. */
const MAX_OWN = 100;
const MAX_TEXT = 200_000;
const HIDDEN = "***";

/** Tools for secrets by name. No value ever comes back, and a value that an agent gives is shown to nobody. */
export function createVaultTools(deps: VaultToolDeps): ToolSource {
  const tools = [listTool(deps), setTool(deps), deleteTool(deps), redactTool(deps)];
  return { name: "vault", tools: () => tools, onChange: () => () => {} };
}

function listTool({ vault, agentName }: VaultToolDeps): Tool {
  return defineGranted<PageArgs>({
    ...DOMAIN,
    name: "list_secrets",
    title: "List the secrets",
    description:
      "List the secrets of the vault by name, with who set each and which tools and hosts it is for. Their values are never shown: write {{secret:NAME}} in an argument of such a tool, and it gets the value.",
    properties: PAGE_PROPERTIES,
    required: [],
    flags: { readOnly: true, concurrencySafe: true },
    async run(page, { caller }) {
      const { limit, offset } = pageRequest(page);
      const all = vault.list();
      const found = { items: all.slice(offset, offset + limit), total: all.length };
      const setBy = (secret: SecretInfo) => setterOf(secret, agentName);
      const line = (secret: SecretInfo) =>
        `${secret.name} (set by ${setBy(secret)}, ${iso(secret.updatedAt)}; ${useOf(secret, caller)})`;
      const none = "The vault is empty; prompt_secret asks a person.";
      return outputPage(
        found,
        offset,
        { line, none },
        {
          secrets: found.items.map((secret) => ({
            name: secret.name,
            set_by: setBy(secret),
            tools: secret.bindings.tools,
            hosts: secret.bindings.hosts,
            for_you: isFor(secret, caller),
            created_at: iso(secret.createdAt),
            updated_at: iso(secret.updatedAt),
          })),
        },
      );
    },
  });
}

function setTool(deps: VaultToolDeps): Tool {
  const tool = "set_secret";
  return defineGranted<{ readonly name: string; readonly value: string }>({
    ...DOMAIN,
    name: tool,
    title: "Keep a secret",
    description:
      "Put a value that you have into the vault under a name, or replace it. From then on it is taken out of everything that you are shown. Where a person or another agent set the secret, a person is asked first: call again with the same arguments once they have answered. For a value that only a person has use prompt_secret.",
    properties: {
      name: NAME,
      value: {
        type: "string",
        minLength: SHORTEST,
        maxLength: LONGEST,
        description: "The value; nobody is shown it again.",
      },
    },
    required: ["name", "value"],
    flags: { destructive: true },
    shownArguments: visibleName,
    async run({ name, value }, { caller }) {
      const known = secretOf(deps, name);
      const refused = known ? await refusal(tool, known, caller, deps) : tooMany(deps.vault.list(), caller);
      if (refused) return refused;
      await deps.vault.put(name, value, { setBy: caller.operator ? null : caller.agentId });
      return output(`The secret ${name} is ${known ? "replaced" : "stored"}.`, {
        name,
        stored: true,
        replaced: known !== undefined,
      });
    },
  });
}

function deleteTool(deps: VaultToolDeps): Tool {
  const tool = "delete_secret";
  return defineGranted<{ readonly name: string }>({
    ...DOMAIN,
    name: tool,
    title: "Delete a secret",
    description:
      "Delete a secret for good; whatever uses it by name stops working. Where a person or another agent set it, a person is asked first: call again with the same arguments once they have answered.",
    properties: { name: NAME },
    required: ["name"],
    flags: { destructive: true },
    async run({ name }, { caller }) {
      const known = secretOf(deps, name);
      if (!known) return failed(`There is no secret ${name}; list_secrets names those there are.`);
      const refused = await refusal(tool, known, caller, deps);
      if (refused) return refused;
      await deps.vault.delete(name);
      return output(`Deleted the secret ${name}.`, { name, deleted: true });
    },
  });
}

function redactTool({ vault }: VaultToolDeps): Tool {
  return defineGranted<{ readonly text: string }>({
    ...DOMAIN,
    name: "redact_text",
    title: "Take secrets out of a text",
    description:
      "Give a text back without the secrets of the vault and without what looks like a credential: keys, tokens, passwords in addresses and assignments. Use it before a text goes to somebody else. It finds what is known or looks like one; read the result all the same.",
    properties: {
      text: { type: "string", maxLength: MAX_TEXT, description: "The text." },
    },
    required: ["text"],
    flags: { readOnly: true, concurrencySafe: true },
    shownArguments: visibleLength,
    async run({ text }) {
      const known = vault.redact(text);
      const scrubbed = withoutCredentials(known);
      const structured = {
        text: scrubbed.text,
        changed: scrubbed.text !== text,
        known_secrets: known !== text,
        credentials: scrubbed.counts,
      };
      return output(scrubbed.text, structured);
    },
  });
}

function secretOf({ vault }: VaultToolDeps, name: string): SecretInfo | undefined {
  return vault.list().find((secret) => secret.name === name);
}

/** Undefined: the caller set the secret itself, or a person agreed. The question does not contain the value. */
async function refusal(
  tool: "set_secret" | "delete_secret",
  secret: SecretInfo,
  caller: Caller,
  { questions, agentName }: VaultToolDeps,
): Promise<ToolResult | undefined> {
  const { name, updatedAt } = secret;
  if (secret.setBy !== null && secret.setBy === caller.agentId) return undefined;
  const what = tool === "set_secret" ? "replace the value of" : "delete";
  const agreement = {
    tool,
    bound: [name, updatedAt],
    prompt: `May ${caller.agentName} ${what} the secret ${name}, which ${setterOf(secret, agentName)} set? Its value is lost then.`,
    visibleArguments: { name },
  };
  return requireAgreement(questions, agreement, caller);
}

function tooMany(secrets: readonly SecretInfo[], { operator, agentId }: Caller): ToolResult | undefined {
  const own = secrets.filter(({ setBy }) => setBy === agentId).length;
  return own < MAX_OWN || operator
    ? undefined
    : failed(`You have set ${own} secrets already, which is the most. Delete one first.`);
}

function isFor({ bindings: { tools, agents } }: SecretInfo, { agentId, operator }: Caller): boolean {
  return tools.length > 0 && (operator || agents === null || agents.includes(agentId));
}

function useOf(secret: SecretInfo, caller: Caller): string {
  const { tools, hosts } = secret.bindings;
  if (!isFor(secret, caller)) return "not for your calls";
  return `for ${tools.join(", ")}${hosts.length > 0 ? ` at ${hosts.join(", ")}` : ""}`;
}

function setterOf({ setBy }: SecretInfo, agentName: VaultToolDeps["agentName"]): string {
  return setBy === null ? "a person" : (agentName(setBy) ?? "an agent that is gone");
}

/** Shows only a valid name, so that a value in the wrong place is hidden, too. */
function visibleName(args: unknown): unknown {
  if (!isRecord(args)) return HIDDEN;
  const isName = (value: unknown) => typeof value === "string" && new RegExp(SECRET_NAME).test(value);
  return mapValues(args, (value, key) => (key === "name" && isName(value) ? value : HIDDEN));
}

/** Shows only the length, because a text that is to be redacted contains secrets. */
function visibleLength(args: unknown): unknown {
  if (!isRecord(args)) return HIDDEN;
  return mapValues(args, (value) => (typeof value === "string" ? `(${value.length} characters)` : HIDDEN));
}

function mapValues(
  values: Readonly<Record<string, unknown>>,
  map: (value: unknown, key: string) => unknown,
): Record<string, unknown> {
  return Object.fromEntries(Object.entries(values).map(([key, value]) => [key, map(value, key)]));
}
