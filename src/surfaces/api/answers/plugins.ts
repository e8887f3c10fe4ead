import type * as contract from "../contract.ts";
import * as s from "./shape.ts";
import { toolViewFields } from "./tools.ts";

type Permissions = contract.PluginView["permissions"];

/** Plugins. */
export const pluginAnswers = {
  PluginView: s.shape<contract.PluginView>(
    {
      name: s.text,
      packageName: s.text,
      version: s.text,
      description: s.text,
      source: s.shape<contract.PluginView["source"]>({
        kind: s.anyOfTexts(["folder", "link", "npm"]),
        spec: s.text,
      }),
      folder: s.text,
      sha256: {
        ...s.orNull(s.text),
        description: "Of every file, as they are now; null: they cannot be used here.",
      },
      status: toolViewFields.status,
      enabled: s.yesNo,
      trusted: s.yesNo,
      permissions: s.shape<Permissions>({
        network: s.oneOf(s.yesNo, s.texts),
        files: s.anyOfTexts(["none", "read", "write"]),
        env: s.texts,
        secrets: s.texts,
        childProcesses: s.yesNo,
      }),
      may: { ...s.texts, description: "The permissions in words, one right each." },
      mayAlso: { ...s.texts, description: "Those that whoever enabled it last did not see." },
      notEnforced: { ...s.texts, description: "What was declared but is not seen to on this machine." },
      missingSecrets: s.texts,
      announced: s.listOf(
        s.shape<contract.PluginView["announced"][number]>({ name: s.text, description: s.text }),
      ),
      tools: s.listOf(
        s.shape<contract.PluginToolView>({ name: s.text, ownName: s.text, description: s.text }),
      ),
      warnings: s.texts,
      processes: s.count,
      enabledAt: s.orNull(s.time),
      createdAt: s.time,
      updatedAt: s.time,
    },
    "A package that brings tools.",
  ),
  PluginList: s.shape<contract.PluginList>({ plugins: s.listOf(s.ref("PluginView")) }),
  PluginAnswer: s.shape<contract.PluginAnswer>({
    plugin: s.ref("PluginView"),
    log: s.listOf(s.shape<contract.PluginLogLine>({ at: s.time, text: s.text })),
  }),
};
