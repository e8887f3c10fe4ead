import type { Rule, Settings } from "../../machine/config/settings.ts";

/** An agent may change its own memories. */
const MEMORY_TOOLS = ["update_memory", "forget"];

/**
 * The rules that hold unless somebody says otherwise. A person's rule about the same permission takes precedence, and
 * so does every rule that names a tool or a server.
 */
export function defaultRules(
  settings: Pick<Settings, "defaultRules" | "trust">,
  shell: { readonly isSandboxed: boolean },
): readonly Rule[] {
  if (!settings.defaultRules) return [];
  const { allowHosts } = settings.trust;
  const ask = { action: "ask", from: "default" } as const;
  return [
    {
      permission: "destructive",
      except: [...MEMORY_TOOLS, ...(shell.isSandboxed ? ["run_shell"] : [])],
      ...ask,
    },
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
