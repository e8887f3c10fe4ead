import {
  CLIENT_CAPABILITIES_META_KEY,
  CLIENT_INFO_META_KEY,
  LOG_LEVEL_META_KEY,
  PROTOCOL_VERSION_META_KEY,
  SERVER_INFO_META_KEY,
  SUBSCRIPTION_ID_META_KEY,
  SUPPORTED_PROTOCOL_VERSIONS,
} from "@modelcontextprotocol/server";
import { describe, expect, it } from "vitest";
import { LEGACY_VERSIONS, META } from "../../../src/surfaces/gateway/messages.ts";

describe("the words of the protocol", () => {
  it("are those of the SDK", () => {
    expect(META).toEqual({
      protocolVersion: PROTOCOL_VERSION_META_KEY,
      clientInfo: CLIENT_INFO_META_KEY,
      clientCapabilities: CLIENT_CAPABILITIES_META_KEY,
      serverInfo: SERVER_INFO_META_KEY,
      subscriptionId: SUBSCRIPTION_ID_META_KEY,
      logLevel: LOG_LEVEL_META_KEY,
    });
    for (const version of LEGACY_VERSIONS) expect(SUPPORTED_PROTOCOL_VERSIONS).toContain(version);
  });
});
