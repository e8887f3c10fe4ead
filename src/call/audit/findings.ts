import type { Reason } from "./chain/open-chain.ts";

/**
 * Findings in words, which say all that tells one from another at the same place: `code` stands for what is there now.
 */
export const saying = {
  altered: (seq: number, code: string) =>
    `record ${seq} is not as it was written, or stands where another one was${now(code)}`,
  doubled: (seq: number, code: string) =>
    `two records stand at place ${seq}, of which one was added${now(code)}`,
  missing: (from: number, to: number) =>
    from === to ? `record ${from} is missing` : `records ${from} to ${to} are missing`,
  lostCall: (seq: number, id: string) => `the call ${id}, whose intent is record ${seq}, is in no chain`,
  checkpoint: (seq: number, code: string) =>
    `what is kept about the chain, whose beginning is said to be removed up to record ${seq}, was changed${now(code)}`,
  empty: () => "the chain has no records, and none were removed because they were old",
  truncated: (last: number, head: number) =>
    `the chain ends with record ${last}, but had come to record ${head}: the newest are missing`,
  replaced: (seq: number, code: string) => `record ${seq} is not the one that was there before${now(code)}`,
  gone: (seq: number) => `the chain had come to record ${seq}, and is gone`,
  unknown: (count: number) => `${count} records name this chain, which nobody began`,
  unreadable: (seq: number) =>
    `it was written, up to record ${seq}, with a key that the vault cannot open any more`,
  unchained: (count: number, expected: number) =>
    `${count} calls belong to no chain; when a process began there were ${expected}, which can only become fewer`,
  headMissing: () => "the file audit-head, which this process has written, is gone",
  headInvalid: () => "the file audit-head was changed",
  headGone: () => "the file audit-head, which was there when this process began, is gone or another one",
  headOther: () => "the file audit-head is an older one, or of another home",
  break: (reason: Reason) => BREAKS[reason],
} as const;

/** Enough of a code to tell what is there from what may stand there later. */
function now(code: string): string {
  return ` (now ${code.slice(0, 12)})`;
}

const BREAKS: Readonly<Record<Reason, string>> = {
  new: "",
  continued: "",
  restored: "",
  head_missing: "when a process began, the file audit-head was gone",
  head_invalid: "when a process began, the file audit-head was not one that this key has made",
  head_old: "when a process began, the file audit-head was older than the one that was there before",
  emptied:
    "when a process began, there were neither records nor the file audit-head, and there had been both",
  truncated: "when a process began, the newest records of its chain were gone",
  altered: "when a process began, the last record of its chain was another one",
  unknown_chain: "when a process began, the store did not have its chain: it was emptied or replaced",
  key_lost: "when a process began, the key of its chain could not be read",
  conflict: "somebody else wrote to the chain of a process while it ran",
};
