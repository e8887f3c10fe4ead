import type * as contract from "../contract.ts";
import * as s from "./shape.ts";

const files = s.listOf(
  s.shape<contract.SettingList["files"][number]>({
    path: s.text,
    scope: s.anyOfTexts(["user", "project"]),
    used: s.yesNo,
    reason: s.optional(s.text),
  }),
);
const settings = s.listOf(s.ref("SettingView"));

export const settingAnswers = {
  SettingView: s.shape<contract.SettingView>({
    key: s.text,
    description: s.text,
    value: { description: "In force now; secrets are masked." },
    default: {},
    origin: s.anyOfTexts(["default", "user", "project", "env"]),
    env: s.orNull(s.text),
    restart: s.yesNo,
    schema: {
      ...s.orNull(s.anyObject),
      description: "What a value has to be; null where only the file changes it.",
    },
    fixed: { ...s.orNull(s.text), description: "Why it cannot be changed here now." },
  }),
  SettingList: s.shape<contract.SettingList>({ settings, files, warnings: s.texts }),
  SettingsChanged: s.shape<contract.SettingsChanged>({
    settings,
    files,
    warnings: s.texts,
    file: s.text,
    backup: s.orNull(s.text),
  }),
};
