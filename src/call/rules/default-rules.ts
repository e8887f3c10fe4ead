import type { Rule, Settings } from "../../machine/config/settings.ts";

/** What an agent remembers is its own. */
const OWN = ["update_memory", "forget"];

/**
 * What holds where nobody says otherwise. A rule of a person about the same permission goes before these, as does
 * every rule that names a tool or a server.
 */
export function defaultRules(
  settings: Pick<Settings, "defaultRules" | "trust">,
  shell: { readonly isSandboxed: boolean },
): readonly Rule[] {
  if (!settings.defaultRules) return [];
  const { allowHosts } = settings.trust;
  const ask = { action: "ask", from: "default" } as const;
  return [
    { permission: "destructive", except: [...OWN, ...(shell.isSandboxed ? ["run_shell"] : [])], ...ask },
    { permission: "fs.write", only: "untrusted", ...ask },
    {
      permission: "net",
      only: "untrusted",
      ...(allowHosts.length > 0 && { unless: { host: allowHosts } }),
      ...ask,
    },
    { permission: "shell", only: "untrusted", ...ask },
    ...(shell.isSandboxed ? [] : [{ permission: "shell", ...ask }]),
  ];
}
