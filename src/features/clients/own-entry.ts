import { basename } from "node:path";
import type { ServerEntry } from "./import/server-entry.ts";

/** Toolkeep's name among the servers of a client. */
export const OWN_NAME = "toolkeep";

/** Matches every token of Toolkeep. */
const OWN_TOKEN = /tk_sk_[\w-]+/;

/** Whether a client's server is Toolkeep, judged by its address, token or command. */
export function isToolkeep(server: ServerEntry, ownUrl: string | null): boolean {
  if (findOwnToken(server) !== undefined) return true;
  if (server.url !== null) return ownUrl !== null && isSameEndpoint(server.url, ownUrl);
  const words = [server.command ?? "", ...server.args];
  return words.includes("stdio") && words.some((word) => basename(word) === OWN_NAME);
}

/** Toolkeep's token in the values of an entry, if it is there in plain text. */
export function findOwnToken(server: Pick<ServerEntry, "env" | "headers">): string | undefined {
  const values = [...Object.values(server.headers), server.env.TOOLKEEP_TOKEN ?? ""];
  return values.map((value) => OWN_TOKEN.exec(value)?.[0]).find((token) => token !== undefined);
}

function isSameEndpoint(url: string, ownUrl: string): boolean {
  if (!URL.canParse(url) || !URL.canParse(ownUrl)) return false;
  const [other, own] = [new URL(url), new URL(ownUrl)];
  return (
    other.protocol === own.protocol &&
    other.port === own.port &&
    normalizeLoopback(other.hostname) === normalizeLoopback(own.hostname) &&
    other.pathname.replace(/\/+$/, "") === own.pathname.replace(/\/+$/, "")
  );
}

function normalizeLoopback(host: string): string {
  return ["localhost", "[::1]", "0.0.0.0"].includes(host) || /^127\./.test(host) ? "127.0.0.1" : host;
}
