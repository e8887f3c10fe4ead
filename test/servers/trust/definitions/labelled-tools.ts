import type { Capability } from "../../../../src/contract/tool.ts";

/** Made-up tools of the kinds that servers have, each with what a person would say that it can do. */
export interface LabelledTool {
  readonly name: string;
  readonly description: string;
  readonly parameters: Readonly<Record<string, string>>;
  readonly can: readonly Capability[];
}

const tool = (
  name: string,
  description: string,
  parameters: Readonly<Record<string, string>>,
  ...can: readonly Capability[]
): LabelledTool => ({ name, description, parameters, can });

export const LABELLED_TOOLS: readonly LabelledTool[] = [
  tool("read_file", "Reads a text file.", { path: "" }, "fs.read"),
  tool("write_file", "Creates a file or replaces what is in it.", { path: "", content: "" }, "fs.write"),
  tool("list_directory", "Lists what a folder holds.", { path: "Absolute path" }, "fs.read"),
  tool("move_file", "Moves a file.", { source: "", destination: "" }, "fs.read", "fs.write"),
  tool("deleteFolder", "Removes a folder and all in it.", { folder: "" }, "fs.write"),
  tool("edit_file", "Replaces lines of a file.", { file_path: "", edits: "" }, "fs.read", "fs.write"),
  tool("search_files", "Finds files by a pattern.", { root: "", pattern: "" }, "fs.read"),
  tool("get_file_info", "Size and times of a file.", { path: "" }, "fs.read"),
  tool("save_note", "Saves a note to a Markdown file on disk.", { title: "", text: "" }, "fs.write"),
  tool("convert_pdf", "Turns a PDF into text.", { inputPath: "", outputPath: "" }, "fs.read", "fs.write"),
  tool(
    "export_chart",
    "Draws the chart as an image.",
    { data: "", output_file: "Where to save it" },
    "fs.write",
  ),
  tool("take_screenshot", "Takes a picture of the screen.", { filename: "" }, "fs.write"),
  tool("git_commit", "Records what is staged.", { repo_path: "", message: "" }, "fs.write"),
  tool("git_log", "Shows the newest commits.", { cwd: "Working directory" }, "fs.read"),
  tool("analyze_image", "Says what a local image shows.", { image_path: "" }, "fs.read"),

  tool("fetch", "Gets a web page as Markdown.", { url: "" }, "net"),
  tool("web_search", "Searches the internet.", { query: "" }, "net"),
  tool("http_request", "Makes an HTTP request.", { method: "", endpoint: "", body: "" }, "net"),
  tool("browser_navigate", "Opens an address in the browser.", { url: "" }, "net"),
  tool("send_email", "Sends an e-mail.", { to: "", subject: "", body: "" }, "net"),
  tool("post_message", "Posts to a Slack channel.", { channel: "", text: "" }, "net"),
  tool("create_issue", "Opens an issue in a GitHub repository.", { owner: "", repo: "", title: "" }, "net"),
  tool("call_webhook", "Tells a webhook.", { webhook: "", payload: "" }, "net"),
  tool("get_forecast", "The weather of the next days, from a public API.", { city: "" }, "net"),
  tool("scrape_page", "Takes the text of a website.", { url: "", selector: "" }, "net"),
  tool("resolve_domain", "Looks a name up.", { hostname: "" }, "net"),
  tool("push_branch", "Pushes to a remote repository.", { branch: "" }, "net"),
  tool("translate", "Translates a text with the DeepL API.", { text: "", target: "" }, "net"),
  tool(
    "get_repo_file",
    "Reads a file of a GitHub repository.",
    { repo: "", path: "Path in the repository" },
    "net",
  ),
  tool("upload_object", "Puts an object into an S3 bucket.", { bucket: "", key: "", body: "" }, "net"),
  tool("charge_card", "Charges a customer with Stripe.", { customer: "", amount: "" }, "net"),
  tool(
    "download_file",
    "Downloads a file from a URL and saves it.",
    { url: "", save_path: "" },
    "net",
    "fs.write",
  ),
  tool("upload_file", "Uploads a local file to a web address.", { file_path: "", url: "" }, "net", "fs.read"),
  tool("clone_repo", "Clones a remote repository.", { url: "", directory: "" }, "net", "fs.write"),

  tool("run_command", "Runs a shell command.", { command: "" }, "shell"),
  tool("execute_code", "Executes Python code.", { code: "" }, "shell"),
  tool("bash", "A terminal.", { input: "" }, "shell"),
  tool("run_tests", "Starts the tests of the project.", { pattern: "" }, "shell"),
  tool("terminal_exec", "Executes in a session.", { session: "", cmd: "" }, "shell"),
  tool("eval_script", "Evaluates a script on this machine.", { script: "" }, "shell"),
  tool("ssh_exec", "Executes a command on a remote host.", { host: "", command: "" }, "shell", "net"),
  tool("npm_run", "Runs scripts of package.json.", { script: "", cwd: "" }, "shell", "fs.read"),

  tool("get_secret", "Retrieves a secret.", { name: "" }, "secrets"),
  tool("list_credentials", "Names of all credentials.", {}, "secrets"),
  tool("connect_db", "Opens a database.", { user: "", password: "" }, "secrets"),
  tool("rotate_key", "Rotates the API keys of a service.", { api_key: "" }, "secrets"),
  tool("unlock_vault", "Unlocks the vault.", { passphrase: "" }, "secrets"),

  tool("ask_user", "Asks the user.", { question: "" }, "people"),

  tool("add", "Adds two numbers.", { a: "", b: "" }),
  tool("get_time", "The time of day.", { timezone: "" }),
  tool("create_entities", "Adds entities to the graph.", { entities: "" }),
  tool("sequential_thinking", "Thinks in steps.", { thought: "", next: "" }),
  tool("query", "A read-only SQL query.", { sql: "" }),
  tool("describe_table", "The columns of a table.", { table: "" }),
  tool("json_query", "Takes a value out of JSON.", { json: "", path: "A JSON path such as $.a.b" }),
  tool("list_tasks", "Tasks by status.", { status: "", page_token: "" }),
  tool("update_task", "Changes a task.", { id: "", title: "" }),
  tool("count_tokens", "Counts the tokens of a text.", { text: "", max_tokens: "" }),
  tool("format_date", "Writes a date.", { date: "", format: "" }),
  tool("sort_rows", "Sorts rows.", { rows: "", sort_dir: "asc or desc" }),
  tool("get_setting", "A setting by its dotted path.", { path: "The dot-notation path of the field" }),
  tool("random_number", "A random number.", { min: "", max: "" }),
  tool("validate_email_format", "Whether a text looks like an e-mail address.", { value: "" }),
  tool("set_theme", "Dark or light.", { theme: "" }),
];
