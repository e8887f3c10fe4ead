import { err, ok, type Result } from "../../../lib/result.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { brave } from "./brave.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

type SearchSettings = Settings["web"]["search"];

const SECRET = /^\{\{secret:(\w+)\}\}$/;
const GUIDE = "docs/web-tools.md says how";

/** Who searches, by the settings; the error is a sentence about what is missing. `secret` reads the vault. */
export function chooseProvider(
  { provider, url, apiKey }: SearchSettings,
  secret: (name: string) => string | undefined,
): Result<SearchProvider, string> {
  switch (provider) {
    case null:
      return err(
        `web_search is not set up: a person has to choose a provider (web.search.provider: searxng, brave or tavily; ${GUIDE}). Until then use browse_url with an address that you know.`,
      );
    case "searxng":
      return url === null
        ? err(`web_search is not set up: SearXNG needs its address in web.search.url (${GUIDE}).`)
        : ok(searxng(url));
    case "brave":
    case "tavily": {
      const key = keyOf(provider, apiKey, secret);
      if (!key.ok) return key;
      return ok((provider === "brave" ? brave : tavily)(key.value, url ?? undefined));
    }
  }
}

function keyOf(
  provider: string,
  written: string | null,
  secret: (name: string) => string | undefined,
): Result<string, string> {
  if (written === null)
    return err(`web_search is not set up: ${provider} needs a key in web.search.api_key (${GUIDE}).`);
  const name = SECRET.exec(written)?.[1];
  if (name === undefined) return ok(written);
  const value = secret(name);
  return value === undefined
    ? err(
        `web_search is not set up: there is no secret ${name} in the vault, which web.search.api_key names.`,
      )
    : ok(value);
}
