export { defineSetting as setting, type ProjectPolicy, type Setting } from "../../contract/define-setting.ts";
