/** Registers a server and describes the result. */

import { counted } from "../../../lib/terminal/counted.ts";
import { printable } from "../../../lib/terminal/printable.ts";
import type { NewServer, ServerAnswer } from "../../api/contract.ts";
import type { Run } from "../shell.ts";
import { explainRefusedCredentials } from "./server-text.ts";

export function registerServer(run: Run, body: NewServer): Promise<ServerAnswer> {
  return run.progress(
    `starting ${body.name} and listing its tools`,
    run.send<ServerAnswer>("POST", "/api/servers", body),
  );
}

export function formatAddedServer(answer: ServerAnswer, isTested: boolean): string {
  const { replaced, server } = answer;
  const replacedNote =
    replaced === undefined
      ? ""
      : `Replaced server ${server.name}, which had never worked:\n${indentLines(replaced)}\n`;
  return replacedNote + formatRegistration(answer, isTested);
}

function formatRegistration({ server, tools }: ServerAnswer, isTested: boolean): string {
  if (!isTested) return `Registered ${server.name}. See its tools: toolkeep server show ${server.name}\n`;
  if (server.state === "needs_auth") {
    const refused = explainRefusedCredentials(server);
    return refused === undefined
      ? `Registered ${server.name}. It needs you to sign in: toolkeep server auth ${server.name}\n`
      : `Registered ${server.name}, but ${refused}\n`;
  }
  if (server.lastError !== null) {
    return `Registered ${server.name}, but it does not work yet:\n${indentLines(server.lastError)}\nFix it: run the command again with correct values, or toolkeep server edit ${server.name} …\n`;
  }
  return `Registered ${server.name} with ${counted(tools.length, "tool")}:\n${formatToolNames(tools)}Grant them: toolkeep agent edit AGENT --grant TOOL, or add them to a toolbox.\n`;
}

export function formatToolNames(tools: readonly string[]): string {
  return tools.length === 0 ? "  none listed yet\n" : tools.map((tool) => `  ${tool}\n`).join("");
}

export function indentLines(text: string): string {
  return printable(text).replace(/^/gm, "  ");
}
