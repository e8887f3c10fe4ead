import { SECRET_SOURCES } from "../../../machine/db/tables/trust/secret-record.ts";
import type * as contract from "../contract.ts";
import { anyOfTexts, count, listOf, orNull, ref, shape, text, texts, time } from "./shape.ts";

export const secretAnswers = {
  SecretView: shape<contract.SecretView>(
    {
      name: text,
      source: anyOfTexts(SECRET_SOURCES),
      tools: texts,
      hosts: texts,
      agents: { ...orNull(texts), description: "The only ones that may use it in arguments; null: all." },
      setBy: { ...orNull(text), description: "The agent that set it; null: a person did." },
      usedBy: { ...texts, description: "`server NAME`, `custom tool NAME`, `setting KEY`." },
      createdAt: time,
      updatedAt: time,
    },
    "A secret of the vault, without its value.",
  ),
  SecretList: shape<contract.SecretList>({ secrets: listOf(ref("SecretView")) }),
  KeyRotated: shape<contract.KeyRotated>({ resealed: count, unreadable: count }),
  SecretAnswer: shape<contract.SecretAnswer>({ secret: ref("SecretView") }),
};
