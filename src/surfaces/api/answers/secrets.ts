import { SECRET_SOURCES } from "../../../machine/db/tables/trust/secret-record.ts";
import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

export const secretAnswers = {
  SecretView: s.shape<contract.SecretView>(
    {
      name: s.text,
      source: s.anyOfTexts(SECRET_SOURCES),
      tools: s.texts,
      hosts: s.texts,
      agents: { ...s.orNull(s.texts), description: "The only ones that may use it in arguments; null: all." },
      setBy: { ...s.orNull(s.text), description: "The agent that set it; null: a person did." },
      usedBy: { ...s.texts, description: "`server NAME`, `custom tool NAME`, `setting KEY`." },
      createdAt: s.time,
      updatedAt: s.time,
    },
    "A secret of the vault, without its value.",
  ),
  SecretList: s.shape<contract.SecretList>({ secrets: s.listOf(s.ref("SecretView")) }),
  KeyRotated: s.shape<contract.KeyRotated>({ resealed: s.count, unreadable: s.count }),
  SecretAnswer: s.shape<contract.SecretAnswer>({ secret: s.ref("SecretView") }),
};
