import type { Command } from "commander";
import { ROLES } from "../../../../contract/caller.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { NewToken, TokenAnswer, TokenList, TokenView } from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { wholeNumber } from "../../input/server-options.ts";
import { parseDuration } from "../../print/duration.ts";
import { collect, type Run, type Shell } from "../../shell.ts";
import { readRole } from "./person.ts";

type Client = NonNullable<TokenView["client"]>;

interface CreateOptions {
  readonly agent?: string;
  readonly admin?: boolean;
  readonly role?: string;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly label?: string;
  readonly requestsPerMinute?: string;
  readonly interactive?: boolean;
}

export function tokenCommand(shell: Shell): Command {
  const token = shell.group("token", "the bearer tokens that clients and admins come with");

  token.leaf("list", "list the tokens, without their values", listTokens);
  token
    .leaf(
      "create",
      "create a token and show it, this once",
      createToken,
      "--agent main --label laptop",
      "--agent main --scope files --expires 30d",
      "--admin --role viewer --label prometheus",
    )
    .option("--agent <name>", "a token for this agent, for clients at /mcp")
    .option("--admin", "a token for /api and the command line")
    .option("--role <role>", `what an admin token may do: ${ROLES.join(", ")} (default admin)`)
    .option(
      "--scope <scope>",
      "let it reach only tools of this scope, or see what bears label:NAME (repeatable; agents only)",
      collect,
      [],
    )
    .option("--expires <duration>", "let it end after 30d, 12h …")
    .option("--label <text>", "a note for people")
    .option("--requests-per-minute <number>", "let it make so many, whatever the settings say")
    .option("--interactive", "let the person at its client approve single calls there (agents only)");
  destructive(
    token,
    "revoke <id>",
    "end a token at once",
    (id) => `Revoke token ${id}? Whoever uses it is cut off at once.`,
    revokeToken,
    "tok_…",
  );
  return token;
}

async function listTokens(run: Run): Promise<undefined> {
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const now = Date.now();
  // Most have neither, and a terminal is narrow.
  const isBound = tokens.some(({ resource }) => resource);
  const isInteractive = tokens.some(({ interactive }) => interactive);
  const isLimited = tokens.some(({ requestsPerMinute }) => requestsPerMinute !== null);
  const rows = tokens.map((token) => [
    token.id,
    token.agent ?? `(${token.role ?? "admin"})`,
    `…${token.hint}`,
    token.scopes?.join(", ") ?? "all",
    token.client ? renewal(token.client, now) : expiry(token.expiresAt, now),
    ago(token.lastUsedAt, now),
    ...(isBound ? [token.resource || "any"] : []),
    ...(isInteractive ? [token.interactive ? "yes" : ""] : []),
    ...(isLimited ? [token.requestsPerMinute === null ? "" : `${token.requestsPerMinute}/min`] : []),
    token.client ? clientName(token.client) : token.label,
  ]);
  run.print(
    { tokens },
    rows.length === 0
      ? "No tokens yet. Create one: toolkeep token create --agent NAME\n"
      : table(
          [
            ...["ID", "AGENT", "TOKEN", "SCOPES", "EXPIRES", "LAST USED"],
            ...(isBound ? ["ADDRESS"] : []),
            ...(isInteractive ? ["INTERACTIVE"] : []),
            ...(isLimited ? ["LIMIT"] : []),
            "LABEL OR CLIENT",
          ],
          rows,
          run.terminal.columns,
        ),
  );
}

async function createToken(run: Run, options: CreateOptions): Promise<undefined> {
  if ((options.agent === undefined) === !options.admin) {
    throw new ToolkeepError(
      "BAD_USAGE",
      "a token is for one agent (--agent NAME) or for an admin (--admin); give one of them",
    );
  }
  const body: NewToken = {
    ...(options.agent === undefined ? {} : { agent: options.agent }),
    ...(options.role === undefined ? {} : { role: readRole(options.role) }),
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.scope.length === 0 ? {} : { scopes: options.scope }),
    ...(options.expires === undefined ? {} : { expiresInMs: parseDuration(options.expires) }),
    ...(options.interactive && { interactive: true }),
    ...(options.requestsPerMinute === undefined
      ? {}
      : {
          requestsPerMinute: wholeNumber(options.requestsPerMinute, "--requests-per-minute", 1, 10_000_000),
        }),
  };
  const answer = await run.send<TokenAnswer>("POST", "/api/tokens", body);
  run.print(answer, `${answer.token}\n`);
  if (!run.json) run.terminal.err("Keep it safe: it is shown this once.\n");
}

async function revokeToken(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/tokens/${id}`), `Revoked token ${id}.\n`);
}

/** With the host that vouches for the name. */
function clientName({ id, name }: Client): string {
  return `${name} (${URL.canParse(id) ? new URL(id).host : "introduced itself"})`;
}

function renewal({ renewsUntil }: Client, now: number): string {
  return renewsUntil <= now ? "expired" : `renews until ${expiry(renewsUntil, now)}`;
}

function expiry(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return "never";
  return expiresAt <= now ? "expired" : new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
}
