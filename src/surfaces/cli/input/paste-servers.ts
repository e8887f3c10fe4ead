import { ToolkeepError } from "../../../contract/errors.ts";
import type { FoundServer } from "../../../features/clients/import/found-server.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import type { ServerAnswer, ServerInput } from "../../api/contract.ts";
import { remoteDaemon } from "../client/remote.ts";
import { ownEndpoint } from "../own-endpoint.ts";
import { addedText, registerServer } from "../print/added-server.ts";
import type { Run } from "../shell.ts";

/** What was pasted, and the name to give to the only server in it. */
export interface Pasted {
  readonly name?: string;
  /** True: it is read from standard input. */
  readonly text: string | true;
}

/** Whether words after `server add` are something pasted: `--paste`, or one word in quotes that can be no name. */
export function pastedText(
  name: string | undefined,
  command: readonly string[],
  { paste, url }: { readonly paste?: string | true; readonly url?: string },
): Pasted | undefined {
  if (paste !== undefined) {
    if (command.length > 0 || url !== undefined)
      throw new ToolkeepError(
        "BAD_USAGE",
        "--paste says how the server is reached; give no command or --url",
      );
    return { text: paste, ...(name !== undefined && { name }) };
  }
  if (name === undefined || command.length > 0 || url !== undefined) return undefined;
  if (name === "-") return { text: true };
  return /^\s*[{["]|\s\S+\s|^https?:\/\//.test(name) ? { text: name } : undefined;
}

/** Registers every server in the text, one after the other, and prints what became of each. */
export async function addPasted(
  run: Run,
  pasted: Pasted,
  more: ServerInput,
  { test }: { readonly test: boolean },
): Promise<number> {
  const servers = await found(run, pasted);
  const answers: ServerAnswer[] = [];
  const texts: string[] = [];
  for (const server of servers) {
    const name = pasted.name ?? (await nameFor(server));
    const lacks = server.missingIn.filter((part) => !isGiven(part, more));
    const fields = bodyOf(run, server, more);
    const enabled = lacks.length === 0 && (server.missing.length > 0 || fields.enabled !== false);
    const wait = test && enabled;
    const answer = await registerServer(run, { ...fields, name, enabled, wait });
    answers.push(answer);
    texts.push(addedText(answer, wait) + notesOf(server, lacks, name));
  }
  const [first] = answers;
  run.print(answers.length === 1 ? first! : { servers: answers }, texts.join("\n"));
  return test && answers.some(({ server }) => server.lastError !== null) ? 1 : 0;
}

async function found(run: Run, { text, name }: Pasted): Promise<readonly FoundServer[]> {
  const { placeHere } = await import("../../../features/clients/client.ts");
  const { discoverPasted } = await import("../../../features/clients/import/pasted.ts");
  const { env, cwd } = run.terminal;
  const whole = text === true ? await run.terminal.read() : text;
  const { servers, files } = await discoverPasted(whole, {
    place: placeHere(env, cwd),
    ownUrl: await ownEndpoint(run),
  });
  const problem = files.find((file) => file.problem !== null)?.problem ?? servers.find(isSkipped)?.skipped;
  if (problem != null || servers.length === 0)
    throw new ToolkeepError("BAD_REQUEST", `no server can be read in it: ${problem ?? "there is none"}`, {
      remedy: "Paste a command that starts a server, an address, or the settings of a client.",
    });
  if (name !== undefined && servers.length > 1)
    throw new ToolkeepError("BAD_USAGE", `a name is for one server, and there are ${servers.length}`);
  return servers;
}

function isSkipped({ skipped }: FoundServer): boolean {
  return skipped !== null;
}

async function nameFor({ name }: FoundServer): Promise<string> {
  const { allowedName } = await import("../../../features/clients/import/import-plan.ts");
  return allowedName(name);
}

/** What the text says, and over it what was given beside it. A daemon elsewhere has no folder of this machine. */
function bodyOf(
  { terminal }: Run,
  { fields }: FoundServer,
  { env, headers, ...more }: ServerInput,
): ServerInput {
  const { cwd, ...rest } = fields;
  return {
    ...rest,
    ...(cwd === undefined || remoteDaemon(terminal.env) ? {} : { cwd }),
    ...more,
    env: { ...rest.env, ...env },
    headers: { ...rest.headers, ...headers },
  };
}

/** Whether an option beside the text gives the value of a part, named as `FoundServer.missingIn` names it. */
function isGiven(part: string, { env = {}, headers = {} }: ServerInput): boolean {
  const [place, ...key] = part.split(".");
  const values = place === "env" ? env : place === "headers" ? headers : {};
  return Object.hasOwn(values, key.join("."));
}

/** What a person should know, and how to give the values that nothing here says. */
function notesOf({ missing, notes }: FoundServer, lacks: readonly string[], name: string): string {
  const lines = notes.map((note) => `Worth knowing: ${note}\n`);
  if (lacks.length === 0) return printable(lines.join(""));
  const options = lacks.map((part) => part.replace(/^env\./, "--env ").replace(/^headers\./, "--header "));
  const edit = `toolkeep server edit ${name} ${options.join(" ")}, then toolkeep server enable ${name}`;
  return printable(`${lines.join("")}It is disabled until it has ${missing.join(", ")}: ${edit}\n`);
}
