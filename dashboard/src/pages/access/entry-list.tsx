import { joinPath } from "../../api/client.ts";
import { IconButton } from "../../ui/button.tsx";
import { TextLink } from "../../ui/link.tsx";
import { escapeInvisible, UntrustedText } from "../../ui/untrusted-text.tsx";
import { entryInWords } from "./entry-words.ts";

interface EntryListProps {
  readonly entries: readonly string[];
  /** What to say of one; "" for nothing. */
  readonly note: (entry: string) => string;
  readonly isWrong?: (entry: string) => boolean;
  /** Absent: nobody may. */
  readonly onRemove?: (entry: string) => void;
  readonly empty: string;
}

const MOST = 500;

/** Names, patterns and `*`, each with what it comes to. */
export function EntryList({ entries, note, isWrong, onRemove, empty }: EntryListProps) {
  if (entries.length === 0) return <p className="text-soft">{empty}</p>;
  return (
    <>
      <ul className="divide-y divide-line rounded-md border border-line">
        {entries.slice(0, MOST).map((entry) => (
          <li key={entry} className="flex min-h-9 items-center gap-2 pr-1 pl-3">
            <span className="min-w-0 flex-1">
              {isName(entry) && !isWrong?.(entry) ? (
                <TextLink to={joinPath("tools", entry)}>
                  <UntrustedText text={entry} mono line />
                </TextLink>
              ) : (
                <span className="flex min-w-0 items-baseline gap-2">
                  <UntrustedText text={entry} mono line />
                  {entryInWords(entry) !== "" && (
                    <span className="min-w-0 truncate text-xs text-soft">
                      {escapeInvisible(entryInWords(entry))}
                    </span>
                  )}
                </span>
              )}
            </span>
            <span className={isWrong?.(entry) ? "text-xs text-warn" : "text-xs text-soft"}>
              {note(entry)}
            </span>
            {onRemove && (
              <IconButton
                icon="close"
                label={`Take out ${escapeInvisible(entry)}`}
                onClick={() => onRemove(entry)}
              />
            )}
          </li>
        ))}
      </ul>
      {entries.length > MOST && <p className="mt-1 text-soft">and {entries.length - MOST} more</p>}
    </>
  );
}

function isName(entry: string): boolean {
  return entry !== "*" && !entry.includes(":");
}
