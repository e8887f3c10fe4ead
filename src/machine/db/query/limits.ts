/** The most rows a list gives of what grows without end. */
export const LIST_LIMIT = 500;

/** The most lines of the audit one list gives. */
export const CALL_LIST_LIMIT = 1000;
