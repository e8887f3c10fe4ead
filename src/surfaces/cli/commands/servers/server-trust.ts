import { ToolkeepError } from "../../../../contract/errors.ts";
import { path } from "../../../../lib/http/api-path.ts";
import { counted } from "../../../../lib/terminal/counted.ts";
import type { ServerAnswer, ServerChanges, ServerDecision } from "../../../api/contract.ts";
import { confirmed } from "../../input/confirmed.ts";
import { changesText } from "../../print/changes-text.ts";
import type { Group, Run } from "../../shell.ts";

/** Trust in a server, and what it publishes that nobody has accepted. */
export function serverTrustCommands(server: Group): void {
  server.leaf("trust <name>", "believe what a server says of its tools", trust("trust", "Trusted"), "fs");
  server.leaf(
    "untrust <name>",
    "believe only what makes things safer",
    trust("untrust", "No longer trusted:"),
    "fs",
  );
  server.leaf("changes <name>", "show what nobody has accepted yet, and how it differs", showChanges, "fs");
  for (const [verb, what] of [
    ["accept", "take in what a server publishes: all that waits, or what is named"],
    ["reject", "keep it out, and do not ask again until it changes"],
  ] as const) {
    server
      .leaf(
        `${verb} <name> [what...]`,
        what,
        decide(verb),
        verb === "accept" ? "fs --seen 0f3a9c1b2d4e" : "fs",
        "fs read_text_file --seen 0f3a9c1b2d4e",
      )
      .option(
        "--seen <version>",
        "only if it is what `server changes` showed under this version; without, accept shows it and asks",
      );
  }
}

function trust(verb: "trust" | "untrust", done: string): (run: Run, name: string) => Promise<undefined> {
  return async (run, name) => {
    const answer = await run.send<ServerAnswer>("POST", `${path`/api/servers/${name}`}/${verb}`);
    const pinned = answer.server.pinned ? "wait for you" : "count at once";
    run.print(answer, `${done} ${name}. Its new and changed tools ${pinned}.\n`);
    return undefined;
  };
}

async function showChanges(run: Run, name: string): Promise<undefined> {
  const changes = await run.get<ServerChanges>(`${path`/api/servers/${name}`}/changes`);
  run.print(changes, changesText(name, changes));
}

/** Nobody accepts what they have not seen: it is shown, and a person has to say yes. */
async function look(run: Run, name: string, changes: ServerChanges): Promise<void> {
  if (!run.terminal.interactive)
    throw new ToolkeepError(
      "BAD_REQUEST",
      `Not a terminal: read what toolkeep server changes ${name} shows, and pass its --seen VERSION`,
    );
  run.terminal.err(changesText(name, changes));
  await confirmed(run, `Accept this of ${name}?`, { no: "nothing was accepted", initially: false });
}

function decide(verb: "accept" | "reject") {
  return async (run: Run, name: string, what: string[], options: { seen?: string }): Promise<undefined> => {
    const place = path`/api/servers/${name}`;
    const before = await run.get<ServerChanges>(`${place}/changes`);
    if (verb === "accept" && options.seen === undefined && before.changes.length > 0)
      await look(run, name, before);
    const body: ServerDecision = {
      seen: options.seen ?? before.version,
      ...(what.length > 0 && { names: what }),
    };
    const after = await run.send<ServerChanges>("POST", `${place}/${verb}`, body);
    const waitingIn = ({ changes }: ServerChanges) =>
      changes.filter(({ state }) => state === "waiting").length;
    const count = what.length > 0 ? what.length : waitingIn(before);
    const done = verb === "accept" ? "Accepted" : "Rejected";
    const left = waitingIn(after) > 0 ? ` ${counted(waitingIn(after), "change")} still waiting.` : "";
    run.print(
      after,
      count === 0
        ? `Nothing of ${name} waits.\n`
        : `${done} ${counted(count, "change")} of ${name}.${left}\n`,
    );
    return undefined;
  };
}
