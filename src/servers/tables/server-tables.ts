import { NotificationTable } from "../../call/questions/tables.ts";
import type { Database } from "../../machine/db/database.ts";
import { pins, pinTable, toolCapabilities, toolCapabilitiesTable } from "./pins.ts";
import { serverOffers, servers, serverTable, serverTools } from "./servers.ts";
import { toolNames, toolNameTable } from "./tool-names.ts";

/** Each after those it refers to. */
export const TABLES = [servers, serverTools, serverOffers, pins, toolCapabilities, toolNames];

export type ServerTables = ReturnType<typeof openServerTables>;

export function openServerTables(database: Database) {
  return {
    servers: serverTable(database),
    pins: pinTable(database),
    toolCapabilities: toolCapabilitiesTable(database),
    toolNames: toolNameTable(database),
    notifications: new NotificationTable(database),
  };
}
