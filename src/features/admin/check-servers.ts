import { resolve } from "node:path";
import { type Check, failed, ok, warning } from "../../contract/health.ts";
import { describeLeftOut, type LeftOut } from "../../lib/text/left-out.ts";
import { findProgram } from "../../machine/process/find-program.ts";

/** The fields of a server that the checks read. */
export interface CheckedServer {
  readonly name: string;
  readonly enabled: boolean;
  readonly source: string;
  readonly state: string;
  readonly command: string | null;
  readonly url: string | null;
  readonly lastError: string | null;
  readonly leftOut: readonly LeftOut[];
  readonly oauth: { readonly grant: string } | null;
}

/** Checks that the command of each local server exists, and what keeps servers from working. */
export function checkServers(
  servers: readonly CheckedServer[],
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check[]> {
  return Promise.all(servers.filter((server) => server.enabled).map((server) => checkServer(server, env)));
}

async function checkServer(
  server: CheckedServer,
  env: Readonly<Record<string, string | undefined>>,
): Promise<Check> {
  const label = `server ${server.name}`;
  const { name, command, state, lastError } = server;
  if (state === "pending_approval")
    return warning(label, "is waiting for your approval", `Review it: toolkeep server show ${name}`);
  if (state === "needs_auth" || lastError?.includes(`toolkeep server auth ${name}`))
    return checkSignIn(label, server);
  const program = command?.includes("/") ? resolve(command) : command;
  if (program && (await findProgram(program, env.PATH)) === undefined)
    return failed(
      label,
      `its command ${command} is not on the PATH`,
      `Install it, or ${suggestEdit(server, "-- …")}.`,
    );
  if (lastError !== null) return failed(label, lastError, `Test it: toolkeep server test ${name}`);
  const leftOut = describeLeftOut(server.leftOut);
  if (leftOut !== null)
    return warning(label, leftOut, `Report this to its author. Details: toolkeep server logs ${name}`);
  return ok(label, command === null ? (server.url ?? "") : `${command} found`);
}

function checkSignIn(label: string, server: CheckedServer): Check {
  if (server.oauth?.grant !== "client_credentials")
    return warning(label, "needs you to sign in", `Sign in: toolkeep server auth ${server.name}`);
  const reason = server.lastError === null ? "" : ` (${server.lastError.replace(/; sign in with: .*$/, "")})`;
  return warning(
    label,
    `its credentials were rejected${reason}`,
    `Fix them: ${suggestEdit(server, "--oauth-client-id ID --oauth-client-secret")}`,
  );
}

/** Servers declared in a settings file can only be changed there. */
function suggestEdit({ name, source }: CheckedServer, what: string): string {
  return source === "stored"
    ? `toolkeep server edit ${name} ${what}`
    : `change it in the ${source} settings file`;
}
