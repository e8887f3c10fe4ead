import type { SettingForm } from "../../contract/define-setting.ts";
import { toMs } from "./document/expectation.ts";

export { defineSetting as setting, type ProjectPolicy, type Setting } from "../../contract/define-setting.ts";

const DAY_MS = 86_400_000;

/** Files have units that people write; `Settings` has milliseconds. */
export const SECONDS: SettingForm<number, number> = { read: toMs, write: (ms) => ms / 1000 };
export const MINUTES: SettingForm<number, number> = {
  read: (minutes) => minutes * 60_000,
  write: (ms) => ms / 60_000,
};
export const DAYS: SettingForm<number, number> = {
  read: (days) => days * DAY_MS,
  write: (ms) => ms / DAY_MS,
};
/** 0 days are for ever, which is null in `Settings`. */
export const DAYS_OR_EVER: SettingForm<number, number | null> = {
  read: (days) => (days === 0 ? null : days * DAY_MS),
  write: (ms) => (ms === null ? 0 : ms / DAY_MS),
};
