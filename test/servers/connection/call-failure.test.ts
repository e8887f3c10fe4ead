import type { Transport } from "@modelcontextprotocol/client";
import { expect, test } from "vitest";
import { toCallEnd } from "../../../src/servers/connection/failure.ts";

const deps = {
  transport: {} as Transport,
  signal: new AbortController().signal,
  redact: (text: string) => text,
};
const failure = (fields: object) =>
  new TypeError("fetch failed", { cause: Object.assign(new Error("x"), fields) });

test.each([
  { code: "ECONNREFUSED", syscall: "connect" },
  { code: "ENOTFOUND", syscall: "getaddrinfo" },
  { code: "UND_ERR_CONNECT_TIMEOUT" },
])("a call that found no connection never left: %j", (fields) => {
  expect(toCallEnd(failure(fields), deps)).toMatchObject({ kind: "lost", wasSent: false });
});

test.each([
  { code: "EHOSTUNREACH", syscall: "read" },
  { code: "ECONNREFUSED", syscall: "read" },
  { code: "ECONNRESET", syscall: "write" },
  { code: "UND_ERR_SOCKET" },
  {},
])("a call whose connection broke may have arrived: %j", (fields) => {
  expect(toCallEnd(failure(fields), deps)).toMatchObject({ kind: "lost", wasSent: true });
});
