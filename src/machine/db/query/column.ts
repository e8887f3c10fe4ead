/** `json` is text, `flag` is 0 or 1, `number` is whole; a question mark lets a column be null. */
export type Column = Kind | `${Kind}?`;
export type Kind = "text" | "number" | "flag" | "json" | "bytes";
