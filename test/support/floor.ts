/** What a main agent without toolboxes sees, spelt out: the code must not be asked what it should be. */
export const FLOOR: readonly string[] = [
  "attach_file",
  "edit_file",
  "grep",
  "list_directory",
  "list_tools",
  "multi_edit",
  "notify",
  "prompt_human",
  "prompt_secret",
  "read_file",
  "read_tool_output",
  "request_tool_access",
  "run_shell",
  "task_todos",
  "think",
  "write_file",
];
