import { Catalog, type CatalogDeps } from "../../src/call/catalog/catalog.ts";
import { Events } from "../../src/contract/events.ts";

/** A catalogue in which no rule hides anything, no agent has a toolbox and nothing is offered, unless a test says so. */
export function openCatalog(
  deps: Pick<CatalogDeps, "sources" | "store"> & Partial<CatalogDeps>,
): Promise<Catalog> {
  return Catalog.open({
    isHidden: () => false,
    ruledConversation: () => null,
    isOffered: () => false,
    agentsWith: () => [],
    events: new Events(() => {}),
    clock: () => 1_000,
    ...deps,
  });
}
