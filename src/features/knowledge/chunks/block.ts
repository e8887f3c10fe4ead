/** A structural part of a text, in UTF-16 units; `end` is exclusive. Blocks are in order and do not overlap. */
export type Block =
  | {
      readonly kind: "heading";
      /** From 1, the outermost. */
      readonly level: number;
      readonly title: string;
      readonly start: number;
      readonly end: number;
    }
  | {
      /** `lines`: it should be cut between lines, not between sentences. */
      readonly kind: "prose" | "lines";
      readonly start: number;
      readonly end: number;
    };
