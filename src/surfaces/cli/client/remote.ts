import { ToolkeepError } from "../../../contract/errors.ts";

/** The daemon that TOOLKEEP_URL and TOOLKEEP_TOKEN name; undefined if the URL is not set. Throws if it is malformed or has no token. */
export function readRemoteDaemon(env: NodeJS.ProcessEnv): { url: string; token: string } | undefined {
  const url = env.TOOLKEEP_URL?.trim();
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new ToolkeepError(
      "BAD_USAGE",
      `TOOLKEEP_URL must be an address such as https://tools.example.com; got ${JSON.stringify(url)}`,
    );
  }
  const token = env.TOOLKEEP_TOKEN?.trim();
  if (!token) throw new ToolkeepError("UNAUTHORIZED", "TOOLKEEP_URL is set but TOOLKEEP_TOKEN is not");
  return { url: url.replace(/\/+$/, ""), token };
}
