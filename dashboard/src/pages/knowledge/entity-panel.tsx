import { joinPath } from "../../api/client.ts";
import type { EntityAnswer } from "../../api/contract.ts";
import { useGet } from "../../api/use-api.ts";
import { urlWith } from "../../app/location.ts";
import { Json } from "../../ui/code.tsx";
import { KeyValues } from "../../ui/key-values.tsx";
import { TextLink } from "../../ui/link.tsx";
import { PanelSection, SidePanel } from "../../ui/side-panel.tsx";
import { QueryView } from "../../ui/states.tsx";
import { Time } from "../../ui/time.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

/** A document as it was indexed, with its passages. */
export function EntityPanel({ id }: { id: string }) {
  const answer = useGet<EntityAnswer>(joinPath("entities", id));
  const title = answer.data?.entity.title ?? id;
  return (
    <SidePanel title={<UntrustedText text={title} line />} closeTo={urlWith({}, "/knowledge")}>
      <QueryView query={answer}>
        {({ entity }) => (
          <>
            <PanelSection>
              <KeyValues
                pairs={[
                  ["Type", entity.type],
                  [
                    "Source",
                    <TextLink key="source" to={joinPath("knowledge", "sources", entity.source)}>
                      {entity.source}
                    </TextLink>,
                  ],
                  ["Location", <UntrustedText key="uri" text={entity.uri} mono />],
                  ["Dated", <Time key="dated" at={entity.documentAt} />],
                  ["Indexed", <Time key="indexed" at={entity.indexedAt} />],
                  [
                    "Tags",
                    entity.tags.length > 0 && <UntrustedText key="tags" text={entity.tags.join(", ")} />,
                  ],
                ]}
              />
            </PanelSection>
            {Object.keys(entity.metadata).length > 0 && (
              <PanelSection title="Metadata">
                <Json value={entity.metadata} label="Metadata" />
              </PanelSection>
            )}
            <PanelSection title={`Passages (${entity.chunks.length}${entity.truncated ? "+" : ""})`}>
              <ol className="flex flex-col gap-4">
                {entity.chunks.map((chunk) => (
                  <li key={chunk.id} id={`chunk-${chunk.index}`}>
                    <div className="mb-1 text-xs text-soft">
                      {chunk.index + 1}. <UntrustedText text={chunk.headings.join(" › ")} max={200} />
                    </div>
                    <UntrustedText text={chunk.text} max={2_000} />
                  </li>
                ))}
              </ol>
            </PanelSection>
          </>
        )}
      </QueryView>
    </SidePanel>
  );
}
