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

const PARTS = [
  ["search", "Search"],
  ["sources", "Sources"],
  ["memories", "Memory"],
  ["inbox", "Inbox"],
] as const;

type Part = (typeof PARTS)[number][0];

/** What was gathered and what agents remember. Documents open beside what found them. */
export function Page({ params: { part = "search", id } }: PageProps) {
  const isKnown = part === "documents" || PARTS.some(([known]) => known === part);
  const shown: Part = part === "documents" ? "search" : (part as Part);
  if (!isKnown) return <NotFound />;
  return (
    <PageFrame title="Knowledge" actions={shown === "sources" && <SourceActions />} panel={panelOf(part, id)}>
      <TabBar
        label="Parts of knowledge"
        selected={shown}
        tabs={PARTS.map(([id, label]) => ({
          id,
          label,
          to: id === "search" ? "/knowledge" : joinPath("knowledge", id),
        }))}
      />
      {shown === "search" && <SearchKnowledge selected={part === "documents" ? id : undefined} />}
      {shown === "sources" && <Sources selected={id} />}
      {shown === "memories" && <Memories selected={id} />}
      {shown === "inbox" && <Inbox />}
    </PageFrame>
  );
}

function panelOf(part: string, id: string | undefined): ReactNode {
  if (id === undefined) return null;
  if (part === "documents") return <EntityPanel key={id} id={id} />;
  if (part === "sources") return <SourcePanel key={id} name={id} />;
  if (part === "memories") return <MemoryPanel key={id} id={id} />;
  return null;
}
