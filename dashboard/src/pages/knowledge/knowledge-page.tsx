import type { ReactNode } from "react";
import { joinPath } from "../../api/client.ts";
import { NotFound } from "../../app/not-found.tsx";
import type { PageProps } from "../../app/routes.ts";
import { Page as PageFrame } from "../../ui/page.tsx";
import { TabBar } from "../../ui/tabs.tsx";
import { EntityPanel } from "./entity-panel.tsx";
import { Inbox } from "./inbox.tsx";
import { Memories } from "./memories.tsx";
import { MemoryPanel } from "./memory-panel.tsx";
import { SearchKnowledge } from "./search-knowledge.tsx";
import { SourcePanel } from "./source-panel.tsx";
import { SourceActions, Sources } from "./sources.tsx";

const VIEWS = [
  ["search", "Search"],
  ["sources", "Sources"],
  ["memories", "Memories"],
  ["inbox", "Inbox"],
] as const;

type View = (typeof VIEWS)[number][0];

/** Indexed documents and memories of agents. A document opens beside its search results. */
export function Page({ params: { part = "search", id } }: PageProps) {
  const isKnown = part === "documents" || VIEWS.some(([known]) => known === part);
  const view: View = part === "documents" ? "search" : (part as View);
  if (!isKnown) return <NotFound />;
  return (
    <PageFrame
      title="Knowledge"
      actions={view === "sources" && <SourceActions />}
      panel={renderPanel(part, id)}
    >
      <TabBar
        label="Knowledge views"
        selected={view}
        tabs={VIEWS.map(([id, label]) => ({
          id,
          label,
          to: id === "search" ? "/knowledge" : joinPath("knowledge", id),
        }))}
      />
      {view === "search" && <SearchKnowledge selected={part === "documents" ? id : undefined} />}
      {view === "sources" && <Sources selected={id} />}
      {view === "memories" && <Memories selected={id} />}
      {view === "inbox" && <Inbox />}
    </PageFrame>
  );
}

function renderPanel(part: string, id: string | undefined): ReactNode {
  if (id === undefined) return null;
  if (part === "documents") return <EntityPanel key={id} id={id} />;
  if (part === "sources") return <SourcePanel key={id} name={id} />;
  if (part === "memories") return <MemoryPanel key={id} id={id} />;
  return null;
}
