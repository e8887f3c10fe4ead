/** The languages of the templates for custom tools. */
export const LANGUAGES = ["js", "py", "sh"] as const;
export type Language = (typeof LANGUAGES)[number];

export interface TemplateFile {
  readonly path: string;
  readonly content: string;
  readonly mode: number;
}

/** A working tool that greets somebody by name. */
export function renderTemplate(slug: string, language: Language): readonly TemplateFile[] {
  const entry = `tool.${EXTENSIONS[language]}`;
  const manifest = {
    title: slug.replaceAll("_", " "),
    description:
      "Greets somebody by name. Say here what the tool does and when to use it: models decide by it.",
    entry,
    input_schema: {
      type: "object",
      properties: { name: { type: "string", description: "Whom to greet." } },
      required: ["name"],
      additionalProperties: false,
    },
    read_only: true,
    concurrency_safe: true,
    timeout_ms: 30_000,
  };
  return [
    { path: "tool.json", content: `${JSON.stringify(manifest, null, 2)}\n`, mode: 0o600 },
    { path: entry, content: SCRIPTS[language], mode: 0o700 },
  ];
}

const EXTENSIONS: Readonly<Record<Language, string>> = { js: "mjs", py: "py", sh: "sh" };

const SCRIPTS: Readonly<Record<Language, string>> = {
  js: `// Arguments arrive as one JSON object on standard input. Print the result: a JSON object, or text.
// Standard error is shown only if the exit code is not 0.
import { text } from "node:stream/consumers";

const { name } = JSON.parse(await text(process.stdin));
console.log(JSON.stringify({ greeting: \`Hello, \${name}!\` }));
`,
  py: `"""Arguments arrive as one JSON object on standard input. Print the result: a JSON object, or text.
Standard error is shown only if the exit code is not 0."""
import json
import sys

arguments = json.load(sys.stdin)
print(json.dumps({"greeting": f"Hello, {arguments['name']}!"}))
`,
  sh: `#!/bin/sh
# Arguments arrive as one JSON object on standard input. Print the result: a JSON object, or text.
# Standard error is shown only if the exit code is not 0.
# The shell cannot parse JSON; this reads one simple string. With jq installed: name=$(jq -r .name)
name=$(sed -n 's/.*"name": *"\\([^"]*\\)".*/\\1/p')
echo "Hello, $name!"
`,
};
