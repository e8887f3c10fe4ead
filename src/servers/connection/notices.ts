import type { Listening, Notice } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { isRecord } from "../../lib/json.ts";

type JsonObject = Readonly<Record<string, unknown>>;
type OnNotice = (notice: Notice) => void;

/** MCP's log levels, most verbose first. */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Whether a caller that asked for `wanted` gets messages of `level`. */
export function isWanted(level: unknown, wanted: string): boolean {
  return LEVELS.indexOf(String(level)) >= LEVELS.indexOf(wanted);
}

/** Whether `level` includes more messages than `other`. */
export function isMoreTalkative(level: string, other: string | undefined): boolean {
  const rank = LEVELS.indexOf(level);
  return rank !== -1 && (other === undefined || rank < LEVELS.indexOf(other));
}

/** Forwards a log message to the first call that wants it. */
export function forwardLog(params: JsonObject, calls: Iterable<Listening>): void {
  for (const { onNotice, logLevel } of calls) {
    if (!onNotice || logLevel === undefined || !isWanted(params.level, logLevel)) continue;
    onNotice({ method: "notifications/message", params });
    return;
  }
}

/** How many elicitations are remembered; the least recently used are dropped. */
const MAX_REMEMBERED = 200;
const MAX_ID_CHARS = 500;

/**
 * Remembers which caller was sent to a URL by which elicitation. On completion exactly that caller is notified, even
 * after its call has ended: the id is unambiguous.
 */
export class UrlElicitations {
  readonly #byId = new BoundedMap<string, OnNotice>(MAX_REMEMBERED, { drops: "least used" });

  /** Takes the elicitation ids from an elicitation's parameters, or from the data of an error that demands some. */
  remember(value: unknown, { onNotice }: Listening): void {
    if (!onNotice || !isRecord(value)) return;
    if (Array.isArray(value.elicitations)) {
      for (const each of value.elicitations.slice(0, MAX_REMEMBERED)) this.#remember(each, onNotice);
    } else this.#remember(value, onNotice);
  }

  complete(params: JsonObject): void {
    const id = params.elicitationId;
    if (typeof id !== "string") return;
    const onNotice = this.#byId.get(id);
    this.#byId.delete(id);
    onNotice?.({ method: "notifications/elicitation/complete", params });
  }

  #remember(elicitation: unknown, onNotice: OnNotice): void {
    const id = isRecord(elicitation) ? elicitation.elicitationId : undefined;
    if (typeof id !== "string" || id.length > MAX_ID_CHARS) return;
    this.#byId.set(id, onNotice);
  }
}
