import { basename } from "node:path";
import type { WrittenServer } from "./import/written-server.ts";

/** The name Toolkeep has among the servers of a client. */
export const OWN_NAME = "toolkeep";

/** How every token of Toolkeep begins. */
const OWN_TOKEN = /tk_sk_[\w-]+/;

/** Whether a server of a client is Toolkeep: by its address, its token or its command. */
export function isToolkeep(server: WrittenServer, ownUrl: string | null): boolean {
  if (ownToken(server) !== undefined) return true;
  if (server.url !== null) return ownUrl !== null && sameEndpoint(server.url, ownUrl);
  const words = [server.command ?? "", ...server.args];
  return words.includes("stdio") && words.some((word) => basename(word) === OWN_NAME);
}

/** Toolkeep's token among the values of an entry, if it stands there in the open. */
export function ownToken(server: Pick<WrittenServer, "env" | "headers">): string | undefined {
  const values = [...Object.values(server.headers), server.env.TOOLKEEP_TOKEN ?? ""];
  return values.map((value) => OWN_TOKEN.exec(value)?.[0]).find((token) => token !== undefined);
}

function sameEndpoint(url: string, ownUrl: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(ownUrl)) return false;
  const [given, own] = [new URL(url), new URL(ownUrl)];
  return (
    given.protocol === own.protocol &&
    given.port === own.port &&
    loopbackAsOne(given.hostname) === loopbackAsOne(own.hostname) &&
    given.pathname.replace(/\/+$/, "") === own.pathname.replace(/\/+$/, "")
  );
}

function loopbackAsOne(host: string): string {
  return ["localhost", "[::1]", "0.0.0.0"].includes(host) || /^127\./.test(host) ? "127.0.0.1" : host;
}
