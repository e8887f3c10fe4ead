import type { CustomToolWants } from "../../../features/custom-tools/custom-tool-view.ts";
import type * as contract from "../contract.ts";
import { count, listOf, orNull, ref, shape, text, texts, time } from "./shape.ts";
import { toolFlags, toolStatus } from "./tools.ts";

const names = { ...texts, description: "Names of variables, never values." };

/** The user's scripts. */
export const customToolAnswers = {
  CustomToolView: shape<contract.CustomToolView>({
    slug: text,
    name: { type: "string", description: "As agents call it." },
    folder: text,
    status: toolStatus,
    sha256: { ...orNull(text), description: "Of every file in the folder; null where it cannot be read." },
    files: listOf(shape<contract.CustomToolView["files"][number]>({ path: text, bytes: count })),
    wants: orNull(
      shape<CustomToolWants>(
        {
          description: text,
          command: {
            ...orNull(texts),
            description: "What is run; null where the interpreter is missing on this machine.",
          },
          flags: toolFlags,
          timeoutMs: count,
          maxOutputBytes: count,
          env: names,
          passEnv: names,
          secrets: { ...texts, description: "Names of secrets." },
        },
        "What it asks for; null where its tool.json cannot be used.",
      ),
    ),
    enabled: orNull(
      shape<NonNullable<contract.CustomToolView["enabled"]>>(
        { sha256: text, enabledBy: text, enabledAt: time },
        "The content that a person enabled last; null: none.",
      ),
    ),
  }),
  CustomToolList: shape<contract.CustomToolList>({
    tools: listOf(ref("CustomToolView")),
    problems: { ...texts, description: "Folders that cannot be a tool, and why." },
  }),
  CustomToolAnswer: shape<contract.CustomToolAnswer>({ tool: ref("CustomToolView") }),
  CustomToolRemoved: shape<contract.CustomToolRemoved>({
    done: { const: true },
    folder: { ...orNull(text), description: "Where its folder was put; null: it had none." },
  }),
};
