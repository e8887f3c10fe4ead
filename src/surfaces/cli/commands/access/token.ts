import type { Command } from "commander";
import { ROLES } from "../../../../contract/caller.ts";
import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { ago } from "../../../../lib/terminal/ago.ts";
import { table } from "../../../../lib/terminal/table.ts";
import type { NewToken, TokenAnswer, TokenList, TokenView } from "../../../api/contract.ts";
import { destructive } from "../../input/destructive.ts";
import { parseWholeNumber } from "../../input/server-options.ts";
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
  const token = shell.group("token", "Manage bearer tokens for clients and the API");

  token.leaf("list", "List tokens, without their values", listTokens);
  token
    .leaf(
      "create",
      "Create a token and show it once",
      createToken,
      "--agent main --label laptop",
      "--agent main --scope files --expires 30d",
      "--admin --role viewer --label prometheus",
    )
    .option("--agent <name>", "Create a token for clients of this agent at /mcp")
    .option("--admin", "Create a token for /api and the command line")
    .option("--role <role>", `Role of an admin token: ${ROLES.join(", ")} (default: admin)`)
    .option(
      "--scope <scope>",
      "Limit it to tools of this scope, or let it see label:NAME (repeatable; agents only)",
      collect,
      [],
    )
    .option("--expires <duration>", "Lifetime, such as 30d or 12h")
    .option("--label <text>", "Note for people")
    .option("--requests-per-minute <number>", "Rate limit, overriding the settings")
    .option("--interactive", "Let the person at the client approve single calls there (agents only)");
  destructive(
    token,
    "revoke <id>",
    "Revoke a token at once",
    (id) => `Revoke token ${id}? Clients that use it lose access at once.`,
    revokeToken,
    "tok_…",
  );
  return token;
}

async function listTokens(run: Run): Promise<undefined> {
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const now = Date.now();
  // These columns are often empty and terminals are narrow, so they are shown only if needed.
  const isBound = tokens.some(({ resource }) => resource);
  const isInteractive = tokens.some(({ interactive }) => interactive);
  const isLimited = tokens.some(({ requestsPerMinute }) => requestsPerMinute !== null);
  const rows = tokens.map((token) => [
    token.id,
    token.agent ?? `(${token.role ?? "admin"})`,
    `…${token.hint}`,
    token.scopes?.join(", ") ?? "all",
    token.client ? formatRenewal(token.client, now) : formatExpiry(token.expiresAt, now),
    ago(token.lastUsedAt, now),
    ...(isBound ? [token.resource || "any"] : []),
    ...(isInteractive ? [token.interactive ? "yes" : ""] : []),
    ...(isLimited ? [token.requestsPerMinute === null ? "" : `${token.requestsPerMinute}/min`] : []),
    token.client ? formatClient(token.client) : token.label,
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
    throw new ToolkeepError("BAD_USAGE", "say who the token is for: give either --agent NAME or --admin");
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
          requestsPerMinute: parseWholeNumber(
            options.requestsPerMinute,
            "--requests-per-minute",
            1,
            10_000_000,
          ),
        }),
  };
  const answer = await run.send<TokenAnswer>("POST", "/api/tokens", body);
  run.print(answer, `${answer.token}\n`);
  if (!run.json) run.terminal.err("Keep it safe. It is shown only once.\n");
}

async function revokeToken(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/tokens/${id}`), `Revoked token ${id}.\n`);
}

/** The client's name with the host that vouches for it. */
function formatClient({ id, name }: Client): string {
  return `${name} (${URL.canParse(id) ? new URL(id).host : "self-registered"})`;
}

function formatRenewal({ renewsUntil }: Client, now: number): string {
  return renewsUntil <= now ? "expired" : `renews until ${formatExpiry(renewsUntil, now)}`;
}

function formatExpiry(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return "never";
  return expiresAt <= now ? "expired" : new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
}
