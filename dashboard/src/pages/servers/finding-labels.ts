/** Completes "This tool …". */
const FINDING_LABELS: Readonly<Record<string, string>> = {
  addresses_model: "gives instructions to the model",
  names_others: "mentions tools of other servers",
  asks_for_secrets: "asks for secrets",
  hides_text: "contains hidden text",
  imitates_host: "imitates the host",
  holds_credentials: "contains credentials",
};

export function describeFinding(kind: string): string {
  return FINDING_LABELS[kind] ?? kind;
}
