import type { Command } from "commander";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { table, texts } from "../../../../lib/terminal/table.ts";
import type * as api from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { readSecret } from "../../input/secret-input.ts";
import type { Run, Shell } from "../../shell.ts";

interface BindingOptions {
  tool?: string[];
  host?: string[];
  agent?: string[];
  allAgents?: boolean;
}

/** Shorter values cannot be recognised in results, so they are not redacted. */
const MIN_LENGTH = 6;

export function secretCommand(shell: Shell): Command {
  const secret = shell.group("secret", "Manage secrets and which tools may use them");

  secret.leaf("list", "List secrets, without their values", listSecrets);
  secret.leaf("show <name>", "Show a secret, without its value", showSecret, "GITHUB_TOKEN");
  addBindingOptions(
    secret
      .leaf(
        "set <name>",
        "Set or replace a secret; asks for the value with hidden input",
        setSecret,
        "GITHUB_TOKEN --tool http_request --host api.github.com",
        "DB_PASSWORD --from 'cmd:pass show db' --tool 'mcp:postgres:*'",
      )
      .option("--stdin", "Read the value from standard input")
      .option("--from <place>", "Read it when needed from env:NAME, file:/path or cmd:'program args'"),
  );
  addBindingOptions(
    secret.leaf(
      "bind <name>",
      "Allow more tools, hosts or agents to use a secret",
      bindSecret,
      "GITHUB_TOKEN --tool 'mcp:github:*' --host '*.github.com'",
    ),
  ).option("--all-agents", "Allow every agent");
  addBindingOptions(
    secret.leaf(
      "unbind <name>",
      "Remove tools, hosts or agents from a secret",
      unbindSecret,
      "GITHUB_TOKEN --tool http_request",
    ),
  );
  destructive(
    secret,
    "delete <name>",
    "Delete a secret permanently",
    (name) => `Delete secret ${name} permanently?`,
    deleteSecret,
    "GITHUB_TOKEN",
  );
  secret.leaf("rotate-key", "Re-encrypt everything in the store with a new key", rotateKey);
  return secret;
}

function addBindingOptions(command: Command): Command {
  const collectMore = (value: string, before: string[] = []) => [...before, value];
  return command
    .option("--tool <pattern>", "Tool, or permission such as mcp:github:* (repeatable)", collectMore)
    .option("--host <pattern>", "Host that calls with the secret may reach (repeatable)", collectMore)
    .option("--agent <name>", "Agent that may use it; excludes all others (repeatable)", collectMore);
}

async function listSecrets(run: Run): Promise<undefined> {
  const answer = await run.get<api.SecretList>("/api/secrets");
  const now = Date.now();
  const rows = answer.secrets.map((secret) => [
    secret.name,
    secret.source,
    secret.setBy ?? "a person",
    ago(secret.updatedAt, now),
    secret.tools.join(", "),
    secret.hosts.join(", "),
  ]);
  run.print(
    answer,
    rows.length === 0
      ? "No secrets yet. Add one: toolkeep secret set NAME\n"
      : table(["NAME", "SOURCE", "SET BY", "CHANGED", "TOOLS", "HOSTS"], rows, run.terminal.columns),
  );
}

async function showSecret(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<api.SecretAnswer>(path`/api/secrets/${name}`);
  run.print(answer, formatSecret(answer.secret));
}

async function setSecret(
  run: Run,
  name: string,
  { stdin, from, ...binding }: BindingOptions & { stdin?: boolean; from?: string },
): Promise<undefined> {
  const source = from === undefined ? { value: await readSecret(run, name, stdin ? "-" : true) } : { from };
  const input: api.SecretInput = { ...source, ...readBinding(binding) };
  const answer = await run.send<api.SecretAnswer>("PUT", path`/api/secrets/${name}`, input);
  const isShort = "value" in source && source.value.length < MIN_LENGTH;
  const note = isShort
    ? `It is shorter than ${MIN_LENGTH} characters, so calls do not get it and it is not redacted.\n`
    : "";
  run.print(answer, `Set ${name}.\n${note}${formatSecret(answer.secret)}`);
}

async function bindSecret(run: Run, name: string, options: BindingOptions): Promise<undefined> {
  const answer = await run.send<api.SecretAnswer>(
    "POST",
    `${path`/api/secrets/${name}`}/bind`,
    readBinding(options),
  );
  run.print(answer, formatSecret(answer.secret));
}

async function unbindSecret(run: Run, name: string, options: BindingOptions): Promise<undefined> {
  const answer = await run.send<api.SecretAnswer>(
    "POST",
    `${path`/api/secrets/${name}`}/unbind`,
    readBinding(options),
  );
  run.print(answer, formatSecret(answer.secret));
}

async function deleteSecret(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<api.Done>("DELETE", path`/api/secrets/${name}`), `Deleted ${name}.\n`);
}

async function rotateKey(run: Run): Promise<undefined> {
  const answer = await run.send<api.KeyRotated>("POST", "/api/vault/rotate-key");
  const { resealed, unreadable } = answer;
  const unreadableNote =
    unreadable > 0 ? ` ${unreadable} could not be decrypted and were left unchanged.` : "";
  run.print(answer, `Re-encrypted ${resealed} values with a new key.${unreadableNote}\n`);
}

function readBinding({ tool, host, agent, allAgents }: BindingOptions): api.SecretBinding {
  return {
    ...(tool && { tools: tool }),
    ...(host && { hosts: host }),
    ...(agent && { agents: agent }),
    ...(allAgents && { agents: null }),
  };
}

function formatSecret({
  name,
  source,
  tools,
  hosts,
  agents,
  setBy,
  createdAt,
  updatedAt,
}: api.SecretView): string {
  const now = Date.now();
  const use =
    tools.length === 0
      ? "No tool may use it in arguments. Servers, settings, scripts and plugins can refer to it."
      : `Tools that may use it as {{secret:${name}}}: ${tools.join(", ")}`;
  return texts(
    `${name}  ${source}, set by ${setBy ?? "a person"}, created ${ago(createdAt, now)}, changed ${ago(updatedAt, now)}`,
    [
      use,
      `Hosts that such calls may reach: ${hosts.join(", ") || "none"}`,
      `Agents: ${agents === null ? "all" : agents.join(", ") || "none"}`,
    ],
  );
}
