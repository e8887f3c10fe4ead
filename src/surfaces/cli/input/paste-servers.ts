import { ToolkeepError } from "../../../contract/errors.ts";
import type { DiscoveredServer } from "../../../features/clients/import/discovered-server.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import type { ServerAnswer, ServerInput } from "../../api/contract.ts";
import { readRemoteDaemon } from "../client/remote.ts";
import { getOwnEndpoint } from "../own-endpoint.ts";
import { formatAddedServer, registerServer } from "../print/register-server.ts";
import type { Run } from "../shell.ts";

/** Pasted text, and a name for the server if it contains only one. */
export interface PastedText {
  readonly name?: string;
  /** True: read it from standard input. */
  readonly text: string | true;
}

/** Returns the pasted text if `server add` was given some: `--paste`, or one quoted argument that cannot be a name. */
export function findPastedText(
  name: string | undefined,
  command: readonly string[],
  { paste, url }: { readonly paste?: string | true; readonly url?: string },
): PastedText | undefined {
  if (paste !== undefined) {
    if (command.length > 0 || url !== undefined)
      throw new ToolkeepError(
        "BAD_USAGE",
        "--paste already says how to reach the server; remove the command or --url",
      );
    return { text: paste, ...(name !== undefined && { name }) };
  }
  if (name === undefined || command.length > 0 || url !== undefined) return undefined;
  if (name === "-") return { text: true };
  return /^\s*[{["]|\s\S+\s|^https?:\/\//.test(name) ? { text: name } : undefined;
}

/** Registers every server in the text, one after the other, and prints the result of each. */
export async function addPastedServers(
  run: Run,
  pasted: PastedText,
  more: ServerInput,
  { test }: { readonly test: boolean },
): Promise<number> {
  const servers = await findServers(run, pasted);
  const answers: ServerAnswer[] = [];
  const texts: string[] = [];
  for (const server of servers) {
    const name = pasted.name ?? (await chooseName(server));
    const missingParts = server.missingIn.filter((part) => !isProvided(part, more));
    const fields = buildInput(run, server, more);
    const enabled = missingParts.length === 0 && (server.missing.length > 0 || fields.enabled !== false);
    const wait = test && enabled;
    const answer = await registerServer(run, { ...fields, name, enabled, wait });
    answers.push(answer);
    texts.push(formatAddedServer(answer, wait) + formatNotes(server, missingParts, name));
  }
  const [first] = answers;
  run.print(answers.length === 1 ? first! : { servers: answers }, texts.join("\n"));
  return test && answers.some(({ server }) => server.lastError !== null) ? 1 : 0;
}

async function findServers(run: Run, { text, name }: PastedText): Promise<readonly DiscoveredServer[]> {
  const { getHostContext } = await import("../../../features/clients/client.ts");
  const { discoverPasted } = await import("../../../features/clients/import/pasted.ts");
  const { env, cwd } = run.terminal;
  const pasted = text === true ? await run.terminal.read() : text;
  const { servers, files } = await discoverPasted(pasted, {
    host: getHostContext(env, cwd),
    ownUrl: await getOwnEndpoint(run),
  });
  const problem = files.find((file) => file.problem !== null)?.problem ?? servers.find(isSkipped)?.skipped;
  if (problem != null || servers.length === 0)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `no server found in the pasted text: ${problem ?? "it contains none"}`,
      {
        remedy: "Paste a command that starts a server, an address, or the settings of a client.",
      },
    );
  if (name !== undefined && servers.length > 1)
    throw new ToolkeepError(
      "BAD_USAGE",
      `a name fits only one server, but the pasted text contains ${servers.length}`,
    );
  return servers;
}

function isSkipped({ skipped }: DiscoveredServer): boolean {
  return skipped !== null;
}

async function chooseName({ name }: DiscoveredServer): Promise<string> {
  const { toAllowedName } = await import("../../../features/clients/import/import-plan.ts");
  return toAllowedName(name);
}

/** The server as pasted, with the options on top. A remote daemon does not have the folders of this machine, so `cwd` is left out. */
function buildInput(
  { terminal }: Run,
  { fields }: DiscoveredServer,
  { env, headers, ...more }: ServerInput,
): ServerInput {
  const { cwd, ...rest } = fields;
  return {
    ...rest,
    ...(cwd === undefined || readRemoteDaemon(terminal.env) ? {} : { cwd }),
    ...more,
    env: { ...rest.env, ...env },
    headers: { ...rest.headers, ...headers },
  };
}

/** Whether an option provides the value of a part, which is named as in `FoundServer.missingIn`. */
function isProvided(part: string, { env = {}, headers = {} }: ServerInput): boolean {
  const [place, ...key] = part.split(".");
  const values = place === "env" ? env : place === "headers" ? headers : {};
  return Object.hasOwn(values, key.join("."));
}

/** Notes for the person, and how to provide missing values. */
function formatNotes({ missing, notes }: DiscoveredServer, lacks: readonly string[], name: string): string {
  const lines = notes.map((note) => `Note: ${note}\n`);
  if (lacks.length === 0) return printable(lines.join(""));
  const options = lacks.map((part) => part.replace(/^env\./, "--env ").replace(/^headers\./, "--header "));
  const edit = `toolkeep server edit ${name} ${options.join(" ")}, then toolkeep server enable ${name}`;
  return printable(`${lines.join("")}It stays disabled until it has ${missing.join(", ")}: ${edit}\n`);
}
