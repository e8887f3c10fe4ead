import type { ReactNode } from "react";
import { pathOf } from "../../api/client.ts";
import type { PageProps } from "../../app/routes.ts";
import { classes } from "../../ui/classes.ts";
import { Link } from "../../ui/link.tsx";
import { Page as PageFrame } from "../../ui/page.tsx";
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
  const shown: Part = PARTS.some(([known]) => known === part) ? (part as Part) : "search";
  return (
    <PageFrame title="Knowledge" actions={shown === "sources" && <SourceActions />} panel={panelOf(part, id)}>
      <nav aria-label="Parts of knowledge" className="flex gap-1 overflow-x-auto border-b border-line px-4">
        {PARTS.map(([known, label]) => (
          <Link
            key={known}
            to={known === "search" ? "/knowledge" : pathOf("knowledge", known)}
            aria-current={known === shown ? "page" : undefined}
            className={classes(
              "-mb-px shrink-0 border-b-2 px-2 py-2 font-medium",
              known === shown ? "border-accent text-text" : "border-transparent text-soft hover:text-text",
            )}
          >
            {label}
          </Link>
        ))}
      </nav>
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
