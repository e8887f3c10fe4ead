import type * as contract from "../contract.ts";
import { anyOfTexts, count, listOf, oneOf, orNull, ref, shape, text, texts, time, yesNo } from "./shape.ts";
import { toolViewFields } from "./tools.ts";

type Permissions = contract.PluginView["permissions"];

/** Plugins. */
export const pluginAnswers = {
  PluginView: shape<contract.PluginView>(
    {
      name: text,
      packageName: text,
      version: text,
      description: text,
      source: shape<contract.PluginView["source"]>({
        kind: anyOfTexts(["folder", "link", "npm"]),
        spec: text,
      }),
      folder: text,
      sha256: {
        ...orNull(text),
        description: "Of every file, as they are now; null: they cannot be used here.",
      },
      status: toolViewFields.status,
      enabled: yesNo,
      trusted: yesNo,
      permissions: shape<Permissions>({
        network: oneOf(yesNo, texts),
        files: anyOfTexts(["none", "read", "write"]),
        env: texts,
        secrets: texts,
        childProcesses: yesNo,
      }),
      may: { ...texts, description: "The permissions in words, one right each." },
      mayAlso: { ...texts, description: "Those that whoever enabled it last did not see." },
      notEnforced: { ...texts, description: "What was declared but is not seen to on this machine." },
      missingSecrets: texts,
      announced: listOf(shape<contract.PluginView["announced"][number]>({ name: text, description: text })),
      tools: listOf(shape<contract.PluginToolView>({ name: text, ownName: text, description: text })),
      warnings: texts,
      processes: count,
      enabledAt: orNull(time),
      createdAt: time,
      updatedAt: time,
    },
    "A package that brings tools.",
  ),
  PluginList: shape<contract.PluginList>({ plugins: listOf(ref("PluginView")) }),
  PluginAnswer: shape<contract.PluginAnswer>({
    plugin: ref("PluginView"),
    log: listOf(shape<contract.PluginLogLine>({ at: time, text })),
  }),
};
