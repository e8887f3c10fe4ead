import type { ListCost } from "../../api/contract.ts";
import { formatCompact } from "./tool-labels.tsx";

/** How many tokens a tool list takes in a prompt, and how many deferring tools saves. */
export function CostLine({ cost }: { cost: ListCost }) {
  const { listed, listedTokens, deferred, wholeTokens, keptTokens } = cost;
  return (
    <p>
      <strong>
        {listed.toLocaleString("en")} listed, {deferred.toLocaleString("en")} deferred
      </strong>{" "}
      · the list takes about <strong>{formatCompact(listedTokens)} tokens</strong>
      {deferred > 0 && (
        <span className="text-soft">
          {" "}
          · listing all would take {formatCompact(wholeTokens)}
          {keptTokens > 0 && `; search saves ${formatCompact(keptTokens)} in every prompt`}
        </span>
      )}
    </p>
  );
}

/** The change from one cost to another. */
export function CostChange({ before, after }: { before: ListCost; after: ListCost }) {
  const more = after.listedTokens - before.listedTokens;
  const sign = more > 0 ? "+" : "−";
  return (
    <span className="text-soft">
      list {formatCompact(before.listedTokens)} → {formatCompact(after.listedTokens)} tokens
      {more !== 0 && ` (${sign}${formatCompact(Math.abs(more))})`}
      {after.deferred !== before.deferred && `, ${after.deferred.toLocaleString("en")} deferred`}
    </span>
  );
}
