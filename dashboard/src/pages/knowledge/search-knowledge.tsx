import { joinPath } from "../../api/client.ts";
import type { SearchPage, SearchResult, SourceList } from "../../api/contract.ts";
import { useGet, usePages } from "../../api/use-api.ts";
import { urlWith, useUrlState } from "../../app/location.ts";
import { RequireRole } from "../../app/session.tsx";
import { Badge } from "../../ui/badge.tsx";
import { Button } from "../../ui/button.tsx";
import { classes } from "../../ui/classes.ts";
import { FilterBar, FilterSelect, SearchField } from "../../ui/filter-bar.tsx";
import { ButtonLink, Link } from "../../ui/link.tsx";
import { EmptyState, ErrorState, LoadingState } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";
import { MarkedText } from "./marked-text.tsx";

/** The search that agents use, with its scores. */
export function SearchKnowledge({ selected }: { selected: string | undefined }) {
  const [query] = useUrlState("q");
  const sources = useGet<SourceList>("/sources").data?.sources ?? [];
  return (
    <>
      <FilterBar>
        <SearchField label="Search documents and memories" />
        <FilterSelect name="source" label="Source" options={sources.map(({ name }) => [name, name])} />
        <span className="text-xs text-soft">“exact phrase” prefix* -exclude tag: type: before: after:</span>
      </FilterBar>
      <div className="min-h-0 flex-1 overflow-y-auto">
        {query.trim() === "" ? (
          <EmptyState
            title={sources.length === 0 ? "No sources yet" : "Search the way your agents do"}
            action={
              sources.length === 0 && (
                <RequireRole role="admin">
                  <ButtonLink look="primary" to="/knowledge/sources?add=source">
                    Add source
                  </ButtonLink>
                </RequireRole>
              )
            }
          >
            {sources.length === 0
              ? "Add a folder, an Obsidian vault, bookmarks, or an export of Notion or mail. Agents can then search it."
              : "You find what your agents find, as far as their labels allow."}
          </EmptyState>
        ) : (
          <Results query={query} selected={selected} />
        )}
      </div>
    </>
  );
}

function Results({ query, selected }: { query: string; selected: string | undefined }) {
  const [source] = useUrlState("source");
  const pages = usePages<SearchPage>(
    "/search",
    { query, source, types: "entity,memory" },
    ({ nextCursor }) => (nextCursor === undefined ? undefined : { cursor: nextCursor }),
  );
  if (pages.error && !pages.data)
    return <ErrorState problem={pages.error} retry={() => void pages.refetch()} />;
  if (!pages.data) return <LoadingState />;
  const results = pages.data.pages.flatMap((page) => page.results);
  const [first] = pages.data.pages;
  return (
    <>
      {first?.notes.map((note) => (
        <p key={note} className="border-b border-line bg-warn-soft px-4 py-1.5 text-warn">
          <UntrustedText text={note} />
        </p>
      ))}
      {results.length === 0 ? (
        <EmptyState title="No results">Try fewer words, or sync a source.</EmptyState>
      ) : (
        <ol className="divide-y divide-line" aria-label="Results">
          {results.map((found) => (
            <SearchHit key={found.kind + found.id} result={found} selected={found.id === selected} />
          ))}
        </ol>
      )}
      <div className="flex items-center gap-4 px-4 py-3">
        {pages.hasNextPage && (
          <Button busy={pages.isFetchingNextPage} onClick={() => void pages.fetchNextPage()}>
            Show more
          </Button>
        )}
        <span className="text-xs text-soft">
          Ranked by {first?.mode === "hybrid" ? "words and meaning" : "words"}
        </span>
      </div>
    </>
  );
}

function SearchHit({ result, selected }: { result: SearchResult; selected: boolean }) {
  const isEntity = result.kind === "entity";
  const to = urlWith({}, joinPath("knowledge", isEntity ? "documents" : "memories", result.id));
  return (
    <li className={classes("relative px-4 py-3", selected ? "bg-selected" : "hover:bg-hover")}>
      <div className="flex items-baseline gap-2">
        <Link to={to} className="min-w-0 font-medium after:absolute after:inset-0">
          <UntrustedText text={isEntity ? result.title : (result.key ?? "Memory")} max={200} />
        </Link>
        <Badge>{isEntity ? result.type : "memory"}</Badge>
        <span className="ml-auto shrink-0 text-xs text-soft" title="Relevance, from 0 to 1">
          {result.score.toFixed(2)}
        </span>
      </div>
      <div className="flex flex-wrap gap-x-3 text-xs text-soft">
        {isEntity && (
          <>
            <span>{result.source}</span>
            <UntrustedText text={result.uri} max={160} mono />
          </>
        )}
        <Time at={isEntity ? result.documentAt : result.updatedAt} />
        {result.tags.map((tag) => (
          <span key={tag}>
            #<UntrustedText text={tag} max={40} />
          </span>
        ))}
      </div>
      {isEntity ? (
        result.chunks.slice(0, 3).map((chunk) => (
          <p key={chunk.id} className="mt-1">
            {chunk.headings.length > 0 && (
              <span className="text-xs text-soft">
                <UntrustedText text={chunk.headings.join(" › ")} max={160} />:{" "}
              </span>
            )}
            <MarkedText text={chunk.snippet} marks={chunk.marks} isMarkdown={result.type === "markdown"} />
          </p>
        ))
      ) : (
        <p className="mt-1">
          <MarkedText text={result.snippet} marks={result.marks} />
        </p>
      )}
    </li>
  );
}
