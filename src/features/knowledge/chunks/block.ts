/** A piece of structure in a text, in UTF-16 units; `end` is behind its last. Blocks come in order and do not overlap. */
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
      /** `lines`: it is better cut between lines than between sentences. */
      readonly kind: "prose" | "lines";
      readonly start: number;
      readonly end: number;
    };
