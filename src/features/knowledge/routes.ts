import { OPERATOR } from "../../call/identity/identity.ts";
import { defineRoute, type Route } from "../../contract/define-route.ts";
import { ToolkeepError } from "../../contract/errors.ts";
import type { Settings } from "../../machine/config/settings.ts";
import { accessOfActor, signatureOf } from "./access.ts";
import * as shapes from "./contract.ts";
import type { Inbox } from "./inbox.ts";
import type { KnowledgeReader } from "./knowledge.ts";
import { ownerOfSpace } from "./memory/spaces.ts";

export interface KnowledgeRouteDeps {
  readonly reader: KnowledgeReader;
  readonly inbox: Inbox;
  readonly settings: () => Settings;
}

const MAX_LISTED = 500;

/** Searching and reading documents, and the inbox. */
export function knowledgeRoutes({ reader, inbox, settings }: KnowledgeRouteDeps): readonly Route[] {
  /** People search their own memories and those of every shared space. */
  const memoryOwners = () => [OPERATOR, ...Object.keys(settings().memory.spaces).map(ownerOfSpace)];

  return [
    defineRoute({
      method: "GET",
      path: "/search",
      summary: "Searches what was gathered, best first, with scores and where the words stand",
      query: shapes.searchQuery,
      answer: shapes.searchPage,
      handle: ({ query: { limit = 20, types = "entity", ...query }, by, signal }) =>
        reader.search(
          {
            ...query,
            limit,
            types: types.split(",") as ("entity" | "memory")[],
            access: accessOfActor(by),
            memoryOwners: memoryOwners(),
          },
          signal,
        ),
    }),
    defineRoute({
      method: "GET",
      path: "/entities/:id",
      summary: "Shows a document with its chunks",
      answer: shapes.entityAnswer,
      async handle({ params, by }) {
        const entity = await reader.entity(params.id, accessOfActor(by));
        if (!entity) throw missingError("document", params.id);
        return { entity };
      },
    }),
    defineRoute({
      method: "GET",
      path: "/chunks/:id",
      summary: "Shows a chunk with its neighbours",
      query: shapes.chunkQuery,
      answer: shapes.chunkAnswer,
      async handle({ params, query: { around = 0 }, by }) {
        const found = await reader.chunk(params.id, around, accessOfActor(by));
        if (!found) throw missingError("chunk", params.id);
        return found;
      },
    }),
    defineRoute({
      method: "GET",
      path: "/inbox",
      summary: "Lists what lies in the inbox, newest first",
      answer: shapes.inboxList,
      handle: () => inbox.list(MAX_LISTED),
    }),
    defineRoute({
      method: "POST",
      path: "/inbox",
      summary: "Puts something into the inbox, under a name of its own; nothing is overwritten",
      role: "operator",
      body: shapes.inboxInput,
      answer: shapes.inboxAnswer,
      status: 201,
      async handle({ body, by }) {
        const { name } = await inbox.put({ ...body, by: signatureOf(by) });
        return { name };
      },
    }),
  ];
}

function missingError(what: string, id: string): ToolkeepError {
  return new ToolkeepError("NOT_FOUND", `There is no ${what} ${JSON.stringify(id.slice(0, 100))}.`, {
    remedy: "toolkeep search finds those there are.",
  });
}
