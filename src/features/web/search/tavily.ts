import { filterObjects, getField, type SearchProvider } from "./search-provider.ts";

const MAX_COUNT = 20;

/** The Tavily Search API. */
export function tavily(apiKey: string, url = "https://api.tavily.com/search"): SearchProvider {
  return {
    title: "Tavily",
    request: ({ words, count, newerThan }) => ({
      url: new URL(url),
      method: "POST",
      headers: {
        accept: "application/json",
        "content-type": "application/json",
        authorization: `Bearer ${apiKey}`,
      },
      body: JSON.stringify({
        query: words,
        max_results: Math.min(count, MAX_COUNT),
        ...(newerThan && { time_range: newerThan }),
      }),
    }),
    pages: (answer) =>
      filterObjects(getField(answer, "results"))?.map(({ title, url: page, content, published_date }) => ({
        title,
        url: page,
        snippet: content,
        date: published_date,
      })),
  };
}
