import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { ServerAnswer, ServerChanges, ServerDecision } from "../../../api/contract.ts";
import { requireConfirmation } from "../../input/confirm.ts";
import { formatChanges } from "../../print/changes-text.ts";
import type { Group, Run } from "../../shell.ts";

/** Commands to trust a server and to review what it publishes. */
export function serverTrustCommands(server: Group): void {
  server.leaf(
    "trust <name>",
    "Trust what a server says about its tools",
    createTrustAction("trust", "Trusted"),
    "fs",
  );
  server.leaf(
    "untrust <name>",
    "Trust only hints that tighten checks",
    createTrustAction("untrust", "No longer trusted:"),
    "fs",
  );
  server.leaf("changes <name>", "Show new and changed tools that nobody has accepted yet", showChanges, "fs");
  for (const [verb, what] of [
    ["accept", "Accept new and changed tools: all, or the given ones"],
    ["reject", "Reject new and changed tools until they change again"],
  ] as const) {
    server
      .leaf(
        `${verb} <name> [what...]`,
        what,
        createDecision(verb),
        verb === "accept" ? "fs --seen 0f3a9c1b2d4e" : "fs",
        "fs read_text_file --seen 0f3a9c1b2d4e",
      )
      .option(
        "--seen <version>",
        "Only if nothing changed since `server changes` showed this version; without it, accept shows the changes and asks",
      );
  }
}

function createTrustAction(
  verb: "trust" | "untrust",
  done: string,
): (run: Run, name: string) => Promise<undefined> {
  return async (run, name) => {
    const answer = await run.send<ServerAnswer>("POST", `${path`/api/servers/${name}`}/${verb}`);
    const pinned = answer.server.pinned ? "need your approval" : "are accepted at once";
    run.print(answer, `${done} ${name}. Its new and changed tools ${pinned}.\n`);
    return undefined;
  };
}

async function showChanges(run: Run, name: string): Promise<undefined> {
  const changes = await run.get<ServerChanges>(`${path`/api/servers/${name}`}/changes`);
  run.print(changes, formatChanges(name, changes));
}

/** A person must not accept changes they have not seen, so they are shown first. */
async function confirmChanges(run: Run, name: string, changes: ServerChanges): Promise<void> {
  if (!run.terminal.interactive)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `cannot ask without a terminal; review toolkeep server changes ${name} and pass its --seen VERSION`,
    );
  run.terminal.err(formatChanges(name, changes));
  await requireConfirmation(run, `Accept these changes of ${name}?`, {
    refused: "cancelled; nothing was accepted",
    initialValue: false,
  });
}

function createDecision(verb: "accept" | "reject") {
  return async (
    run: Run,
    name: string,
    description: string[],
    options: { seen?: string },
  ): Promise<undefined> => {
    const route = path`/api/servers/${name}`;
    const before = await run.get<ServerChanges>(`${route}/changes`);
    if (verb === "accept" && options.seen === undefined && before.changes.length > 0)
      await confirmChanges(run, name, before);
    const body: ServerDecision = {
      seen: options.seen ?? before.version,
      ...(description.length > 0 && { names: description }),
    };
    const after = await run.send<ServerChanges>("POST", `${route}/${verb}`, body);
    const countWaiting = ({ changes }: ServerChanges) =>
      changes.filter(({ state }) => state === "waiting").length;
    const count = description.length > 0 ? description.length : countWaiting(before);
    const done = verb === "accept" ? "Accepted" : "Rejected";
    const left = countWaiting(after) > 0 ? ` ${counted(countWaiting(after), "change")} still waiting.` : "";
    run.print(
      after,
      count === 0
        ? `No changes of ${name} are waiting.\n`
        : `${done} ${counted(count, "change")} of ${name}.${left}\n`,
    );
    return undefined;
  };
}
