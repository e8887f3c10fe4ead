import type { ListCost } from "../../api/contract.ts";
import { short } from "./tool-words.tsx";

/** What a list takes of a model's window, and what leaving tools to search saves. */
export function CostLine({ cost }: { cost: ListCost }) {
  const { listed, listedTokens, deferred, wholeTokens, keptTokens } = cost;
  return (
    <p>
      <strong>
        {listed.toLocaleString("en")} listed, {deferred.toLocaleString("en")} found by search
      </strong>{" "}
      · the list takes about <strong>{short(listedTokens)} tokens</strong>
      {deferred > 0 && (
        <span className="text-soft">
          {" "}
          · listing all would take {short(wholeTokens)}
          {keptTokens > 0 && `, so ${short(keptTokens)} are kept out of every prompt`}
        </span>
      )}
    </p>
  );
}

/** From one cost to another. */
export function CostChange({ before, after }: { before: ListCost; after: ListCost }) {
  const more = after.listedTokens - before.listedTokens;
  const sign = more > 0 ? "+" : "−";
  return (
    <span className="text-soft">
      list {short(before.listedTokens)} → {short(after.listedTokens)} tokens
      {more !== 0 && ` (${sign}${short(Math.abs(more))})`}
      {after.deferred !== before.deferred && `, ${after.deferred.toLocaleString("en")} left to search`}
    </span>
  );
}
