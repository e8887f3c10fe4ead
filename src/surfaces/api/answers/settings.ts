import type * as contract from "../contract.ts";
import { anyObject, anyOfTexts, listOf, optional, orNull, ref, shape, text, texts, yesNo } from "./shape.ts";

const files = listOf(
  shape<contract.SettingList["files"][number]>({
    path: text,
    scope: anyOfTexts(["user", "project"]),
    used: yesNo,
    reason: optional(text),
  }),
);
const settings = listOf(ref("SettingView"));

export const settingAnswers = {
  SettingView: shape<contract.SettingView>({
    key: text,
    description: text,
    value: { description: "In force now; secrets are masked." },
    default: {},
    origin: anyOfTexts(["default", "user", "project", "env"]),
    env: orNull(text),
    restart: yesNo,
    schema: {
      ...orNull(anyObject),
      description: "What a value has to be; null where only the file changes it.",
    },
    fixed: { ...orNull(text), description: "Why it cannot be changed here now." },
  }),
  SettingList: shape<contract.SettingList>({ settings, files, warnings: texts }),
  SettingsChanged: shape<contract.SettingsChanged>({
    settings,
    files,
    warnings: texts,
    file: text,
    backup: orNull(text),
  }),
};
