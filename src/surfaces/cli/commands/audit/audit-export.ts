import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, ToolkeepError } from "../../../../contract/errors.ts";
import { query } from "../../../../lib/http/api-path.ts";
import type { ActionPage, AuditPage } from "../../../api/contract.ts";
import { type AuditOptions, conditionsOf } from "../../input/audit-options.ts";
import type { Run } from "../../shell.ts";

const PAGE = 500;

/** Page by page, so that a million records need no more memory than some. */
export async function exportAudit(run: Run, options: AuditOptions & { out?: string }): Promise<undefined> {
  const { terminal } = run;
  if (options.out === undefined) {
    for await (const text of pages(run, options)) terminal.out(text);
    return;
  }
  const file = resolve(terminal.cwd, options.out);
  const handle = await open(file, "wx", 0o600).catch((error) => {
    throw new ToolkeepError("BAD_USAGE", `the file cannot be written: ${messageOf(error)}`);
  });
  let count = 0;
  try {
    for await (const text of pages(run, options)) {
      await handle.write(text);
      count += text.split("\n").length - 1;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  run.print({ file, count }, `Wrote ${count} records to ${file}.\n`);
}

async function* pages(run: Run, options: AuditOptions): AsyncGenerator<string> {
  const address = options.actions ? "/api/audit/actions" : "/api/audit";
  for (let cursor: string | undefined; ; ) {
    const asked = query({ ...conditionsOf(options), order: "oldest", limit: PAGE, cursor });
    const page = await run.get<AuditPage | ActionPage>(`${address}${asked}`);
    const records: readonly object[] = "calls" in page ? page.calls : page.actions;
    yield records.map((record) => `${JSON.stringify(record)}\n`).join("");
    if (page.next === null) return;
    cursor = page.next;
  }
}
