/** English words that stand in every text. None of them is a name or says what a tool does: `get`, `all` and `not` are kept. */
export const STOP_WORDS: ReadonlySet<string> = new Set(
  (
    "a am an and are as at be been but by can could did do does for from had has have he her his how i if in into is it its " +
    "me my of on or our she should so such than that the their them then there these they this those to was we were what " +
    "when where which who why will with would you your"
  ).split(" "),
);
