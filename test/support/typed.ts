import { CommanderError } from "commander";
import { readAnswer } from "../../src/surfaces/cli/client/api-client.ts";
import { createProgram } from "../../src/surfaces/cli/program.ts";
import { Shell } from "../../src/surfaces/cli/shell.ts";
import type { Terminal } from "../../src/surfaces/cli/terminal.ts";
import { ADMIN_TOKEN, type TestApi } from "./test-api.ts";

/** A command as typed where nobody sits, against the routes of a real hub; `terminal` says what is different. */
export async function typed(api: TestApi, args: readonly string[], terminal: Partial<Terminal> = {}) {
  let out = "";
  let err = "";
  const shell = new Shell({
    terminal: {
      env: { TOOLKEEP_URL: "http://127.0.0.1:1", TOOLKEEP_TOKEN: "unused" },
      cwd: api.home,
      interactive: false,
      screen: false,
      columns: Number.POSITIVE_INFINITY,
      read: async () => "",
      signal: new AbortController().signal,
      ...terminal,
      out: (text) => {
        out += text;
        terminal.out?.(text);
      },
      err: (text) => {
        err += text;
        terminal.err?.(text);
      },
    },
    connect: async () => ({
      async send(method, url, body) {
        const headers = { authorization: `Bearer ${ADMIN_TOKEN}` };
        const payload = body === undefined ? {} : { payload: body as object };
        const response = await api.app.inject({ method, url, headers, ...payload });
        return readAnswer(response.statusCode, response.payload);
      },
      close: async () => {},
    }),
  });
  await createProgram(shell, "1.2.3")
    .parseAsync([...args], { from: "user" })
    .catch((error) => {
      if (!(error instanceof CommanderError)) throw error;
    });
  return { code: shell.exitCode, out, err };
}
