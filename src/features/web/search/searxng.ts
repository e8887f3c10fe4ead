import { filterObjects, getField, type SearchProvider } from "./search-provider.ts";

/** A self-hosted SearXNG at `url`. Its `search.formats` must include `json`. */
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
      filterObjects(getField(answer, "results"))?.map(({ title, url: page, content, publishedDate }) => ({
        title,
        url: page,
        snippet: content,
        date: publishedDate,
      })),
    remedy: (status) =>
      status === 403 ? "Have a person add json to search.formats in the settings.yml of SearXNG." : undefined,
  };
}
