export type { Column, Kind } from "../../../contract/define-table.ts";
