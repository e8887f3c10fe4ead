import { filterObjects, getField, type SearchProvider } from "./search-provider.ts";

const MAX_COUNT = 20;
const FRESHNESS = { day: "pd", week: "pw", month: "pm", year: "py" } as const;

/** The Brave Search API. */
export function brave(
  apiKey: string,
  url = "https://api.search.brave.com/res/v1/web/search",
): SearchProvider {
  return {
    title: "Brave Search",
    request({ words, count, newerThan }) {
      const address = new URL(url);
      address.searchParams.set("q", words);
      address.searchParams.set("count", String(Math.min(count, MAX_COUNT)));
      if (newerThan) address.searchParams.set("freshness", FRESHNESS[newerThan]);
      return { url: address, headers: { accept: "application/json", "x-subscription-token": apiKey } };
    },
    // A search without results has no `web`.
    pages: (answer) =>
      getField(answer, "type") === "search" && getField(answer, "web") === undefined
        ? []
        : filterObjects(getField(getField(answer, "web"), "results"))?.map(
            ({ title, url: page, description, page_age }) => ({
              title: stripMarkup(title),
              url: page,
              snippet: stripMarkup(description),
              date: page_age,
            }),
          ),
  };
}

/** Brave returns HTML and marks the search words. */
function stripMarkup(text: unknown): unknown {
  if (typeof text !== "string") return text;
  return text
    .slice(0, 5_000)
    .replace(/<\/?[a-z][^<>]{0,100}>/gi, "")
    .replace(
      /&(#x?[0-9a-f]{1,6}|amp|lt|gt|quot|apos|nbsp);/gi,
      (whole, name: string) => decodeEntity(name) ?? whole,
    );
}

const NAMED_ENTITIES: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: " ",
};

function decodeEntity(name: string): string | undefined {
  if (!name.startsWith("#")) return NAMED_ENTITIES[name.toLowerCase()];
  const code = /^#x/i.test(name) ? Number.parseInt(name.slice(2), 16) : Number.parseInt(name.slice(1), 10);
  return code <= 0x10_ffff ? String.fromCodePoint(code) : undefined;
}
