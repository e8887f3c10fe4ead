import { describe, expect, it } from "vitest";
import { describeService, type ServiceInput } from "../../../src/surfaces/daemon/service.ts";

const input: ServiceInput = {
  platform: "linux",
  userHome: "/home/me",
  toolkeepHome: "/home/me/my tools",
  program: ["/usr/bin/node", "/opt/100%/toolkeep"],
};

describe("the service", () => {
  it("is a systemd user unit on Linux, with paths quoted as systemd wants them", () => {
    const service = describeService(input);
    expect(service.path).toBe("/home/me/.config/systemd/user/toolkeep.service");
    expect(service.content).toContain('ExecStart="/usr/bin/node" "/opt/100%%/toolkeep" "serve"\n');
    expect(service.content).toContain('Environment="TOOLKEEP_HOME=/home/me/my tools"\n');
    expect(service.start).toContainEqual(["systemctl", "--user", "enable", "--now", "toolkeep.service"]);
  });

  it("is a launchd agent on macOS, with text escaped for XML", () => {
    const service = describeService({ ...input, platform: "darwin", toolkeepHome: "/Users/me/a&b" });
    expect(service.path).toBe("/home/me/Library/LaunchAgents/dev.toolkeep.daemon.plist");
    expect(service.content).toContain("<string>/opt/100%/toolkeep</string>\n    <string>serve</string>");
    expect(service.content).toContain("<string>/Users/me/a&amp;b</string>");
  });

  it("is not written elsewhere", () => {
    expect(() => describeService({ ...input, platform: "win32" })).toThrow(
      expect.objectContaining({ code: "SERVICE_UNSUPPORTED" }),
    );
  });
});
