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

/** Shorter ones are not recognised where they come back. */
const SHORTEST = 6;

export function secretCommand(shell: Shell): Command {
  const secret = shell.group("secret", "secrets of the vault, and which tools may use them");

  secret.leaf("list", "list the secrets: names, never values", listSecrets);
  secret.leaf("show <name>", "show everything about a secret but its value", showSecret, "GITHUB_TOKEN");
  bindingOptions(
    secret
      .leaf(
        "set <name>",
        "set or replace a secret; you are asked for the value, unseen",
        setSecret,
        "GITHUB_TOKEN --tool http_request --host api.github.com",
        "DB_PASSWORD --from 'cmd:pass show db' --tool 'mcp:postgres:*'",
      )
      .option("--stdin", "read the value from standard input")
      .option("--from <place>", "where it is read when needed: env:NAME, file:/path or cmd:'program args'"),
  );
  bindingOptions(
    secret.leaf(
      "bind <name>",
      "let more tools, hosts or agents use a secret",
      bindSecret,
      "GITHUB_TOKEN --tool 'mcp:github:*' --host '*.github.com'",
    ),
  ).option("--all-agents", "every agent may");
  bindingOptions(
    secret.leaf(
      "unbind <name>",
      "take tools, hosts or agents away from a secret",
      unbindSecret,
      "GITHUB_TOKEN --tool http_request",
    ),
  );
  destructive(
    secret,
    "delete <name>",
    "delete a secret for good",
    (name) => `Delete secret ${name} for good?`,
    deleteSecret,
    "GITHUB_TOKEN",
  );
  secret.leaf("rotate-key", "seal everything in the store with a new key", rotateKey);
  return secret;
}

function bindingOptions(command: Command): Command {
  const more = (value: string, before: string[] = []) => [...before, value];
  return command
    .option("--tool <pattern>", "a tool, or a permission such as mcp:github:*; repeatable", more)
    .option("--host <pattern>", "a host that calls with it may go to; repeatable", more)
    .option("--agent <name>", "an agent: then no other may; repeatable", more);
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
      ? "The vault is empty. toolkeep secret set NAME puts something in.\n"
      : table(["NAME", "SOURCE", "SET BY", "CHANGED", "TOOLS", "HOSTS"], rows, run.terminal.columns),
  );
}

async function showSecret(run: Run, name: string): Promise<undefined> {
  const answer = await run.get<api.SecretAnswer>(path`/api/secrets/${name}`);
  run.print(answer, shown(answer.secret));
}

async function setSecret(
  run: Run,
  name: string,
  { stdin, from, ...binding }: BindingOptions & { stdin?: boolean; from?: string },
): Promise<undefined> {
  const source = from === undefined ? { value: await readSecret(run, name, stdin ? "-" : true) } : { from };
  const input: api.SecretInput = { ...source, ...bindingOf(binding) };
  const answer = await run.send<api.SecretAnswer>("PUT", path`/api/secrets/${name}`, input);
  const isShort = "value" in source && source.value.length < SHORTEST;
  const note = isShort
    ? `It has fewer than ${SHORTEST} characters: no call gets it, and it is not redacted.\n`
    : "";
  run.print(answer, `Set ${name}.\n${note}${shown(answer.secret)}`);
}

async function bindSecret(run: Run, name: string, options: BindingOptions): Promise<undefined> {
  const answer = await run.send<api.SecretAnswer>(
    "POST",
    `${path`/api/secrets/${name}`}/bind`,
    bindingOf(options),
  );
  run.print(answer, shown(answer.secret));
}

async function unbindSecret(run: Run, name: string, options: BindingOptions): Promise<undefined> {
  const answer = await run.send<api.SecretAnswer>(
    "POST",
    `${path`/api/secrets/${name}`}/unbind`,
    bindingOf(options),
  );
  run.print(answer, shown(answer.secret));
}

async function deleteSecret(run: Run, name: string): Promise<undefined> {
  run.print(await run.send<api.Done>("DELETE", path`/api/secrets/${name}`), `Deleted ${name}.\n`);
}

async function rotateKey(run: Run): Promise<undefined> {
  const answer = await run.send<api.KeyRotated>("POST", "/api/vault/rotate-key");
  const { resealed, unreadable } = answer;
  const lost =
    unreadable > 0 ? ` ${unreadable} could not be opened before either, and are as they were.` : "";
  run.print(answer, `${resealed} sealed values have a new key.${lost}\n`);
}

function bindingOf({ tool, host, agent, allAgents }: BindingOptions): api.SecretBinding {
  return {
    ...(tool && { tools: tool }),
    ...(host && { hosts: host }),
    ...(agent && { agents: agent }),
    ...(allAgents && { agents: null }),
  };
}

function shown({ name, source, tools, hosts, agents, setBy, createdAt, updatedAt }: api.SecretView): string {
  const now = Date.now();
  const use =
    tools.length === 0
      ? "No tool gets it in its arguments. Servers, settings, scripts and plugins may name it."
      : `Tools that get it as {{secret:${name}}}: ${tools.join(", ")}`;
  return texts(
    `${name}  ${source}, set by ${setBy ?? "a person"}, made ${ago(createdAt, now)}, changed ${ago(updatedAt, now)}`,
    [
      use,
      `Hosts that such a call may go to: ${hosts.join(", ") || "none"}`,
      `Agents: ${agents === null ? "all" : agents.join(", ") || "none"}`,
    ],
  );
}
