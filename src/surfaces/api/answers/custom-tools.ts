import type { CustomToolWants } from "../../../features/custom-tools/custom-tool-view.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";
import { toolFlags, toolStatus } from "./tools.ts";

const names = { ...s.texts, description: "Names of variables, never values." };

/** The user's scripts. */
export const customToolAnswers = {
  CustomToolView: s.shape<contract.CustomToolView>({
    slug: s.text,
    name: { type: "string", description: "As agents call it." },
    folder: s.text,
    status: toolStatus,
    sha256: {
      ...s.orNull(s.text),
      description: "Of every file in the folder; null where it cannot be read.",
    },
    files: s.listOf(s.shape<contract.CustomToolView["files"][number]>({ path: s.text, bytes: s.count })),
    wants: s.orNull(
      s.shape<CustomToolWants>(
        {
          description: s.text,
          command: {
            ...s.orNull(s.texts),
            description: "What is run; null where the interpreter is missing on this machine.",
          },
          flags: toolFlags,
          timeoutMs: s.count,
          maxOutputBytes: s.count,
          env: names,
          passEnv: names,
          secrets: { ...s.texts, description: "Names of secrets." },
        },
        "What it asks for; null where its tool.json cannot be used.",
      ),
    ),
    enabled: s.orNull(
      s.shape<NonNullable<contract.CustomToolView["enabled"]>>(
        { sha256: s.text, enabledBy: s.text, enabledAt: s.time },
        "The content that a person enabled last; null: none.",
      ),
    ),
  }),
  CustomToolList: s.shape<contract.CustomToolList>({
    tools: s.listOf(s.ref("CustomToolView")),
    problems: { ...s.texts, description: "Folders that cannot be a tool, and why." },
  }),
  CustomToolAnswer: s.shape<contract.CustomToolAnswer>({ tool: s.ref("CustomToolView") }),
  CustomToolRemoved: s.shape<contract.CustomToolRemoved>({
    done: { const: true },
    folder: { ...s.orNull(s.text), description: "Where its folder was put; null: it had none." },
  }),
};
