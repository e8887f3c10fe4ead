import type { ToolMatch } from "../../api/contract.ts";
import { Badge } from "../../ui/badge.tsx";
import { PanelSection } from "../../ui/side-panel.tsx";
import { UntrustedText } from "../../ui/untrusted-text.tsx";

/** The score of a match, as a bar relative to the best match. */
export function MatchScore({ match: { score, why }, best }: { match: ToolMatch; best: number }) {
  if (why.named) return <Badge tone="accent">exact name</Badge>;
  return (
    <span className="flex items-center gap-2">
      <span className="w-9">{score.toFixed(1)}</span>
      <Bar share={score / best} />
    </span>
  );
}

function Bar({ share }: { share: number }) {
  return (
    <span aria-hidden="true" className="block h-1.5 w-12 rounded bg-hover">
      <span
        className="block h-full rounded bg-accent"
        style={{ width: `${Math.round(100 * Math.min(1, Math.max(0, share)))}%` }}
      />
    </span>
  );
}

/** The matching words and other reasons, on one line. */
export function MatchSummary({ match: { why, alike } }: { match: ToolMatch }) {
  return <UntrustedText text={summarizeReasons(why, alike)} line />;
}

function summarizeReasons(why: ToolMatch["why"], alike: readonly string[]): string {
  if (why.named) return "Your search is its exact name";
  const words = why.words.map(({ word, standsIn, fields }) => {
    const [where = ""] = fields;
    return `${standsIn ? "~" : ""}${word} (${where})`;
  });
  return [
    ...(words.length > 0 ? [words.join(", ")] : []),
    ...(why.meaning > 0 ? ["meaning"] : []),
    ...(why.learned > 0 ? ["used before"] : []),
    ...(alike.length > 0 ? [`${alike.length} identical`] : []),
  ].join(" · ");
}

/** The reasons as a table whose rows add up to the score. */
export function MatchExplanation({ match: { score, why, alike } }: { match: ToolMatch }) {
  const parts: readonly (readonly [string, string, number])[] = [
    ...why.words.map(({ word, standsIn, fields, score: share }) => {
      const name = standsIn ? `similar word “${word}”` : `“${word}”`;
      return [name, `in ${fields.join(", ")}`, share] as const;
    }),
    ["Name", "how much of it your search covers", why.coverage],
    ["Meaning", "how similar your search and the tool are", why.meaning],
    ["History", "called after similar searches before", why.learned],
  ];
  const visible = parts.filter(([, , share]) => Math.abs(share) >= 0.05);
  return (
    <PanelSection title="Why it matches">
      {why.named ? (
        <p>Your search is its exact name, so it ranks first.</p>
      ) : (
        <table className="w-full">
          <tbody>
            {visible.map(([name, where, share]) => (
              <tr key={name + where}>
                <th scope="row" className="py-0.5 pr-2 text-start align-top font-medium">
                  <UntrustedText text={name} />
                </th>
                <td className="py-0.5 pr-2 align-top text-soft">{where}</td>
                <td className="py-0.5 text-end align-top">{share.toFixed(1)}</td>
              </tr>
            ))}
            <tr className="border-t border-line">
              <th scope="row" colSpan={2} className="py-0.5 text-start font-medium">
                Score
              </th>
              <td className="py-0.5 text-end font-medium">{score.toFixed(1)}</td>
            </tr>
          </tbody>
        </table>
      )}
      {alike.length > 0 && (
        <p className="mt-2 text-soft">
          Identical tools on other servers: <UntrustedText text={alike.join(", ")} mono />
        </p>
      )}
    </PanelSection>
  );
}
