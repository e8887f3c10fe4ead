import { ToolkeepError } from "../../../contract/errors.ts";

const UNITS: Readonly<Record<string, number>> = {
  ms: 1,
  s: 1_000,
  m: 60_000,
  h: 3_600_000,
  d: 86_400_000,
  w: 604_800_000,
};

/** Milliseconds of `30d`, `12h`, `90s`, `500ms`. A bare number has the unit `bare`. */
export function parseDuration(text: string, bare?: keyof typeof UNITS): number {
  const match = /^(\d{1,12})(ms|s|m|h|d|w)?$/.exec(text.trim());
  const unit = match?.[2] ?? bare;
  if (!match || !unit) {
    throw new ToolkeepError(
      "BAD_USAGE",
      `a duration is a number and ms, s, m, h, d or w, such as 30d; got ${JSON.stringify(text)}`,
    );
  }
  return Number(match[1]) * UNITS[unit]!;
}

/** `1 s`, `500 ms`. */
export function durationText(ms: number): string {
  return ms % 1_000 === 0 ? `${ms / 1_000} s` : `${ms} ms`;
}
