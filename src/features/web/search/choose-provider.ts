import { err, ok, type Result } from "../../../lib/result.ts";
import type { Settings } from "../../../machine/config/settings.ts";
import { brave } from "./brave.ts";
import type { SearchProvider } from "./search-provider.ts";
import { searxng } from "./searxng.ts";
import { tavily } from "./tavily.ts";

type SearchSettings = Settings["web"]["search"];

const SECRET = /^\{\{secret:(\w+)\}\}$/;
const GUIDE = "see docs/web-tools.md";

/** The provider that the settings choose. The error says what is missing. `secret` reads the vault. */
export function chooseProvider(
  { provider, url, apiKey }: SearchSettings,
  secret: (name: string) => string | undefined,
): Result<SearchProvider, string> {
  switch (provider) {
    case null:
      return err(
        `web_search is not set up: a person has to choose a provider (web.search.provider: searxng, brave or tavily; ${GUIDE}). Until then, use browse_url with an address you know.`,
      );
    case "searxng":
      return url === null
        ? err(`web_search is not set up: SearXNG needs its address in web.search.url (${GUIDE}).`)
        : ok(searxng(url));
    case "brave":
    case "tavily": {
      const key = readKey(provider, apiKey, secret);
      if (!key.ok) return key;
      return ok((provider === "brave" ? brave : tavily)(key.value, url ?? undefined));
    }
  }
}

function readKey(
  provider: string,
  apiKey: string | null,
  secret: (name: string) => string | undefined,
): Result<string, string> {
  if (apiKey === null)
    return err(`web_search is not set up: ${provider} needs a key in web.search.api_key (${GUIDE}).`);
  const name = SECRET.exec(apiKey)?.[1];
  if (name === undefined) return ok(apiKey);
  const value = secret(name);
  return value === undefined
    ? err(
        `web_search is not set up: web.search.api_key refers to the secret ${name}, which is not in the vault.`,
      )
    : ok(value);
}
