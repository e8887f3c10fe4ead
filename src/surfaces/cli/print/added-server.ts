/** Registering a server, and what a person is told about it. */

import { counted } from "../../../lib/terminal/counted.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import type { NewServer, ServerAnswer } from "../../api/contract.ts";
import type { Run } from "../shell.ts";
import { credentialsRefused } from "./server-text.ts";

export function registerServer(run: Run, body: NewServer): Promise<ServerAnswer> {
  return run.progress(
    `starting ${body.name} and asking for its tools`,
    run.send<ServerAnswer>("POST", "/api/servers", body),
  );
}

export function addedText(answer: ServerAnswer, tested: boolean): string {
  const { replaced, server } = answer;
  const before =
    replaced === undefined
      ? ""
      : `Replaced the server ${server.name}, which never worked:\n${indented(replaced)}\n`;
  return before + registered(answer, tested);
}

function registered({ server, tools }: ServerAnswer, tested: boolean): string {
  if (!tested) return `Registered ${server.name}. See its tools: toolkeep server show ${server.name}\n`;
  if (server.state === "needs_auth") {
    const refused = credentialsRefused(server);
    return refused === undefined
      ? `Registered ${server.name}. It wants somebody to sign in: toolkeep server auth ${server.name}\n`
      : `Registered ${server.name}, but ${refused}\n`;
  }
  if (server.lastError !== null) {
    return `Registered ${server.name}, but it does not work yet:\n${indented(server.lastError)}\nCorrect it: the same command again with what is right, or toolkeep server edit ${server.name} …\n`;
  }
  return `Registered ${server.name} with ${counted(tools.length, "tool")}:\n${toolNames(tools)}Grant them: toolkeep agent edit AGENT --grant TOOL, or put them in a toolbox.\n`;
}

export function toolNames(tools: readonly string[]): string {
  return tools.length === 0 ? "  none listed yet\n" : tools.map((tool) => `  ${tool}\n`).join("");
}

export function indented(text: string): string {
  return printable(text).replace(/^/gm, "  ");
}
