import { resolve } from "node:path";
import { findProgram } from "../process/find-program.ts";
import { type Check, failed, ok, warning } from "./check.ts";

/** What a check has to know of a server. */
export interface CheckedServer {
  readonly name: string;
  readonly enabled: boolean;
  readonly state: string;
  readonly command: string | null;
  readonly url: string | null;
  readonly lastError: string | null;
  readonly oauth: { readonly grant: string } | null;
}

/** Whether the command of each local server is there, and what stands in the way of the others. */
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
  const name = `server ${server.name}`;
  const { command } = server;
  if (server.state === "needs_auth" && server.oauth?.grant === "client_credentials")
    return warning(
      name,
      `its credentials were refused${server.lastError === null ? "" : ` (${server.lastError.replace(/; sign in with: .*$/, "")})`}`,
      `Correct them: toolkeep server edit ${server.name} --oauth-client-id ID --oauth-client-secret`,
    );
  if (server.state === "needs_auth")
    return warning(name, "wants somebody to sign in", `Sign in: toolkeep server auth ${server.name}`);
  if (server.state === "pending_approval")
    return warning(name, "waits for your approval", `Look at it: toolkeep server show ${server.name}`);
  if (command === null)
    return server.lastError
      ? warning(name, server.lastError, `Try it: toolkeep server test ${server.name}`)
      : ok(name, server.url ?? "");
  const program = command.includes("/") ? resolve(command) : command;
  if ((await findProgram(program, env.PATH)) === undefined) {
    return failed(
      name,
      `its command ${command} is not on the PATH`,
      `Install it, or change it: toolkeep server edit ${server.name} -- …`,
    );
  }
  if (server.lastError) return warning(name, server.lastError, `Try it: toolkeep server test ${server.name}`);
  return ok(name, `${command} is there`);
}
