/** A database address that may be shown: the password hidden, and everything where it cannot be told apart. */
export function maskedUrl(url: string): string {
  try {
    const parsed = new URL(url);
    if (parsed.password !== "") parsed.password = "***";
    if (parsed.searchParams.has("password")) parsed.searchParams.set("password", "***");
    return parsed.href;
  } catch {
    return "DATABASE_URL";
  }
}
