import type { CommandRun } from "../../../src/contract/define-command.ts";
import type { Infer } from "../../../src/contract/shape.ts";
import { table } from "../../../src/lib/terminal/table.ts";
import type { entryAnswer, entryList } from "./contract.ts";

export async function listEntries(run: CommandRun): Promise<undefined> {
  const answer = await run.get<Infer<typeof entryList>>("/api/diary");
  const rows = answer.entries.map(({ day, text }) => [day, text]);
  run.print(answer, table(["DAY", "TEXT"], rows, run.columns));
}

export async function writeEntry(run: CommandRun, day: string, text: string): Promise<undefined> {
  const answer = await run.send<Infer<typeof entryAnswer>>("POST", "/api/diary", { day, text });
  run.print(answer, `Wrote ${answer.entry.id}.\n`);
}
