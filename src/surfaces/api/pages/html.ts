/** Text that is already markup. Only `html` makes it, so that everything else is escaped. */
export class Markup {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Markup from a template: every value is escaped unless it is markup itself; lists are joined. */
export function html(strings: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return new Markup(strings.reduce((text, part, index) => text + render(values[index - 1]) + part));
}

function render(value: unknown): string {
  if (value instanceof Markup) return value.text;
  if (Array.isArray(value)) return value.map(render).join("");
  return escapeHtml(String(value ?? ""));
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character]!);
}

const ENTITIES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};
