import { open } from "node:fs/promises";
import { resolve } from "node:path";
import { messageOf, ToolkeepError } from "../../../../contract/errors.ts";
import { query } from "../../../../lib/http/api-path.ts";
import type { ActionPage, AuditPage } from "../../../api/contract.ts";
import { type AuditOptions, readFilters } from "../../input/audit-options.ts";
import type { Run } from "../../shell.ts";

const PAGE = 500;

/** Reads page by page, so that memory use does not grow with the number of records. */
export async function exportAudit(run: Run, options: AuditOptions & { out?: string }): Promise<undefined> {
  const { terminal } = run;
  if (options.out === undefined) {
    for await (const text of readPages(run, options)) terminal.out(text);
    return;
  }
  const file = resolve(terminal.cwd, options.out);
  const handle = await open(file, "wx", 0o600).catch((error) => {
    throw new ToolkeepError("BAD_USAGE", `${file} cannot be written: ${messageOf(error)}`);
  });
  let count = 0;
  try {
    for await (const text of readPages(run, options)) {
      await handle.write(text);
      count += text.split("\n").length - 1;
    }
    await handle.sync();
  } finally {
    await handle.close();
  }
  run.print({ file, count }, `Wrote ${count} records to ${file}.\n`);
}

async function* readPages(run: Run, options: AuditOptions): AsyncGenerator<string> {
  const address = options.actions ? "/api/audit/actions" : "/api/audit";
  for (let cursor: string | undefined; ; ) {
    const search = query({ ...readFilters(options), order: "oldest", limit: PAGE, cursor });
    const page = await run.get<AuditPage | ActionPage>(`${address}${search}`);
    const records: readonly object[] = "calls" in page ? page.calls : page.actions;
    yield records.map((record) => `${JSON.stringify(record)}\n`).join("");
    if (page.next === null) return;
    cursor = page.next;
  }
}
