import { Command } from "commander";
import type { NewToken, TokenAnswer, TokenList } from "../../api/contract.ts";
import { ToolkeepError } from "../../errors.ts";
import { path } from "../api-client.ts";
import { ago, parseDuration } from "../duration.ts";
import { collect, examples, leaf, type Run, type Shell } from "../shell.ts";
import { table } from "../table.ts";

interface CreateOptions {
  readonly agent?: string;
  readonly admin?: boolean;
  readonly scope: readonly string[];
  readonly expires?: string;
  readonly label?: string;
}

export function tokenCommand(shell: Shell): Command {
  const token = new Command("token").description("the bearer tokens that clients and admins come with");

  leaf(token, "list", "list the tokens, without their values", "token list").action(shell.action(listTokens));
  examples(
    leaf(token, "create", "create a token and show it, this once")
      .option("--agent <name>", "a token for this agent, for clients at /mcp")
      .option("--admin", "a token for /api and the command line")
      .option(
        "--scope <scope>",
        "let it reach only tools of this scope (repeatable; agents only)",
        collect,
        [],
      )
      .option("--expires <duration>", "let it end after 30d, 12h …")
      .option("--label <text>", "a note for people")
      .action(shell.action(createToken)),
    "token create --agent main --label laptop",
    "token create --agent main --scope files --expires 30d",
    "token create --admin",
  );
  leaf(token, "revoke <id>", "end a token at once", "token revoke tok_…").action(shell.action(revokeToken));
  return token;
}

async function listTokens(run: Run): Promise<undefined> {
  const { tokens } = await run.get<TokenList>("/api/tokens");
  const now = Date.now();
  const rows = tokens.map((token) => [
    token.id,
    token.agent ?? "(admin)",
    `…${token.hint}`,
    token.scopes?.join(", ") ?? "all",
    expiry(token.expiresAt, now),
    ago(token.lastUsedAt, now),
    token.label,
  ]);
  run.print(
    { tokens },
    rows.length === 0
      ? "No tokens yet. Create one: toolkeep token create --agent NAME\n"
      : table(
          ["ID", "AGENT", "TOKEN", "SCOPES", "EXPIRES", "LAST USED", "LABEL"],
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
    ...(options.label === undefined ? {} : { label: options.label }),
    ...(options.scope.length === 0 ? {} : { scopes: options.scope }),
    ...(options.expires === undefined ? {} : { expiresInMs: parseDuration(options.expires) }),
  };
  const answer = await run.send<TokenAnswer>("POST", "/api/tokens", body);
  run.print(answer, `${answer.token}\n`);
  if (!run.json) run.terminal.err("Keep it safe: it is shown this once.\n");
}

async function revokeToken(run: Run, id: string): Promise<undefined> {
  run.print(await run.send<object>("DELETE", path`/api/tokens/${id}`), `Revoked token ${id}.\n`);
}

function expiry(expiresAt: number | null, now: number): string {
  if (expiresAt === null) return "never";
  return expiresAt <= now ? "expired" : new Date(expiresAt).toISOString().slice(0, 16).replace("T", " ");
}
