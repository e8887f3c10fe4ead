import type { Listening, Notice } from "../../contract/tool.ts";
import { BoundedMap } from "../../lib/bounded-map.ts";
import { isRecord } from "../../lib/json.ts";

type JsonObject = Readonly<Record<string, unknown>>;
type OnNotice = (notice: Notice) => void;

/** As MCP orders them, from the most talkative on. */
const LEVELS = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/** Whether messages of `level` are wanted by whoever asked for `wanted`. */
export function isWanted(level: unknown, wanted: string): boolean {
  return LEVELS.indexOf(String(level)) >= LEVELS.indexOf(wanted);
}

/** Whether `level` asks for more than `other` does. */
export function isMoreTalkative(level: string, other: string | undefined): boolean {
  const rank = LEVELS.indexOf(level);
  return rank !== -1 && (other === undefined || rank < LEVELS.indexOf(other));
}

/** The first of these calls that wants to hear a log message hears it. */
export function tellLog(params: JsonObject, calls: Iterable<Listening>): void {
  for (const { onNotice, logLevel } of calls) {
    if (!onNotice || logLevel === undefined || !isWanted(params.level, logLevel)) continue;
    onNotice({ method: "notifications/message", params });
    return;
  }
}

/** More people than this are not sent to an address at the same time; the oldest are forgotten. */
const MAX_REMEMBERED = 200;
const MAX_ID_CHARS = 500;

/**
 * Who was sent to an address by which elicitation. When it is complete, exactly that caller is told, also after its
 * call is over: the id says for certain whom it is for.
 */
export class SentToAddress {
  readonly #byId = new BoundedMap<string, OnNotice>(MAX_REMEMBERED, { drops: "least used" });

  /** Looks for ids of elicitations in the parameters of one, or in the data of an error that asks for them. */
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
