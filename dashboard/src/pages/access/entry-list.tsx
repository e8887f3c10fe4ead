import { joinPath } from "../../api/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { TextLink } from "../../ui/link.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { describeEntry } from "./describe-entry.ts";

interface EntryListProps {
  readonly entries: readonly string[];
  /** A remark on an entry; "" for none. */
  readonly note: (entry: string) => string;
  readonly hasProblem?: (entry: string) => boolean;
  /** Absent when the list is read-only. */
  readonly onRemove?: (entry: string) => void;
  readonly empty: string;
}

const MAX_ENTRIES = 500;

/** A list of tool names, patterns and `*`, each with a remark. */
export function EntryList({ entries, note, hasProblem, onRemove, empty }: EntryListProps) {
  if (entries.length === 0) return <p className="text-soft">{empty}</p>;
  return (
    <>
      <ul className="divide-y divide-line rounded-md border border-line">
        {entries.slice(0, MAX_ENTRIES).map((entry) => (
          <li key={entry} className="flex min-h-9 items-center gap-2 pr-1 pl-3">
            <span className="min-w-0 flex-1">
              {isName(entry) && !hasProblem?.(entry) ? (
                <TextLink to={joinPath("tools", entry)}>
                  <UntrustedText text={entry} mono line />
                </TextLink>
              ) : (
                <span className="flex min-w-0 items-baseline gap-2">
                  <UntrustedText text={entry} mono line />
                  {describeEntry(entry) !== "" && (
                    <span className="min-w-0 truncate text-xs text-soft">
                      {escapeInvisible(describeEntry(entry))}
                    </span>
                  )}
                </span>
              )}
            </span>
            <span className={hasProblem?.(entry) ? "text-xs text-warn" : "text-xs text-soft"}>
              {note(entry)}
            </span>
            {onRemove && (
              <IconButton
                icon="close"
                label={`Remove ${escapeInvisible(entry)}`}
                onClick={() => onRemove(entry)}
              />
            )}
          </li>
        ))}
      </ul>
      {entries.length > MAX_ENTRIES && <p className="mt-1 text-soft">{entries.length - MAX_ENTRIES} more</p>}
    </>
  );
}

function isName(entry: string): boolean {
  return entry !== "*" && !entry.includes(":");
}
