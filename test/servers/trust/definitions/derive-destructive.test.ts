import { describe, expect, it } from "vitest";
import { soundsDestructive } from "../../../../src/servers/trust/definitions/derive-capabilities.ts";
import { describeTool } from "../../../../src/servers/trust/definitions/describe-tool.ts";

describe("that a tool destroys something", () => {
  it.each([
    ["delete_repository", ""],
    ["removeUser", ""],
    ["db-drop-table", ""],
    ["factory_reset", ""],
    ["git_tag", "Create, list or delete a tag"],
    ["finish", "Ends the run. This cannot be undone."],
  ])("is said by %s: %s", (name, description) => {
    expect(soundsDestructive({ name, description })).toBe(true);
  });

  it.each([
    ["get_deleted_items_count", "How many were deleted"],
    ["drag_and_drop", "Drags one element onto another"],
    ["create_issue", "Create an issue"],
    ["list_files", "Lists files. Use remove_file for removal."],
  ])("is not said by %s: %s", (name, description) => {
    expect(soundsDestructive({ name, description })).toBe(false);
  });

  it("is believed of its words, unless a trusted server says otherwise", () => {
    const destroys = (annotations: object | undefined, trusted: boolean) =>
      describeTool({ name: "delete_repo", annotations }, trusted).flags.destructive;
    expect(destroys(undefined, false)).toBe(true);
    expect(destroys(undefined, true)).toBe(true);
    expect(destroys({ destructiveHint: false }, false)).toBe(true);
    expect(destroys({ readOnlyHint: true }, false)).toBe(true);
    expect(destroys({ destructiveHint: false }, true)).toBe(false);
    expect(destroys({ readOnlyHint: true }, true)).toBe(false);
    expect(describeTool({ name: "add" }, false).flags.destructive).toBe(false);
    expect(
      describeTool({ name: "add", annotations: { destructiveHint: true } }, false).flags.destructive,
    ).toBe(true);
  });
});
