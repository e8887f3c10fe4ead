import { ToolkeepError } from "../../../contract/errors.ts";

/** The daemon that the environment names; undefined where it names none. Throws for half of it. */
export function remoteDaemon(env: NodeJS.ProcessEnv): { url: string; token: string } | undefined {
  const url = env.TOOLKEEP_URL?.trim();
  if (!url) return undefined;
  if (!URL.canParse(url) || !/^https?:/.test(url)) {
    throw new ToolkeepError(
      "BAD_USAGE",
      `TOOLKEEP_URL should be an address such as https://tools.example.com; got ${JSON.stringify(url)}`,
    );
  }
  const token = env.TOOLKEEP_TOKEN?.trim();
  if (!token) throw new ToolkeepError("UNAUTHORIZED", "TOOLKEEP_URL is set, but TOOLKEEP_TOKEN is not");
  return { url: url.replace(/\/+$/, ""), token };
}
