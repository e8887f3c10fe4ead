export { type ColumnTypes, goesWith, type Migration } from "../../../contract/define-table.ts";
