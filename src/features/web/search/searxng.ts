import { fieldOf, objectsIn, type SearchProvider } from "./search-provider.ts";

/** A SearXNG of one's own at `url`; `json` has to be among its `search.formats`. */
export function searxng(url: string): SearchProvider {
  return {
    title: "SearXNG",
    request({ words, newerThan }) {
      const address = new URL(url);
      address.pathname = address.pathname.replace(/\/?(search)?\/?$/, "/search");
      address.searchParams.set("q", words);
      address.searchParams.set("format", "json");
      if (newerThan) address.searchParams.set("time_range", newerThan);
      return { url: address, headers: { accept: "application/json" } };
    },
    pages: (answer) =>
      objectsIn(fieldOf(answer, "results"))?.map(({ title, url: page, content, publishedDate }) => ({
        title,
        url: page,
        snippet: content,
        date: publishedDate,
      })),
    remedy: (status) =>
      status === 403 ? "Have a person add json to search.formats in the settings.yml of SearXNG." : undefined,
  };
}
