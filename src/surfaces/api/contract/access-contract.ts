import type { Snippet } from "../../../features/clients/snippets.ts";

/** `GET /api/mcp/snippets`: what to write into the settings of clients. */
export interface SnippetList {
  readonly snippets: readonly ClientSnippet[];
  /** Stands in the texts where the token belongs. */
  readonly placeholder: string;
}

export type ClientSnippet = Snippet;
