/** How secrets are named, as a pattern of JSON Schema. */
export const SECRET_NAME = "^[A-Z][A-Z0-9_]{0,63}$";
