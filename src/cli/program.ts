import { Command } from "commander";
import { agentCommand } from "./commands/agent.ts";
import { approvalCommand } from "./commands/approval.ts";
import { auditCommand } from "./commands/audit.ts";
import { backupCommand } from "./commands/backup.ts";
import { callCommand } from "./commands/call.ts";
import { completionCommand } from "./commands/completion.ts";
import { configCommand } from "./commands/config.ts";
import { connectCommand } from "./commands/connect.ts";
import { doctorCommand } from "./commands/doctor.ts";
import { importCommand } from "./commands/import.ts";
import { initCommand } from "./commands/init.ts";
import { logsCommand } from "./commands/logs.ts";
import { memoryCommand } from "./commands/memory.ts";
import { notificationCommand } from "./commands/notification.ts";
import { openCommand } from "./commands/open.ts";
import { personCommand } from "./commands/person.ts";
import { pluginCommand } from "./commands/plugin.ts";
import { projectCommand } from "./commands/project.ts";
import { questionCommand } from "./commands/question.ts";
import { restoreCommand } from "./commands/restore.ts";
import { ruleCommand } from "./commands/rule.ts";
import { searchCommand } from "./commands/search.ts";
import { secretCommand } from "./commands/secret.ts";
import { serveCommand } from "./commands/serve.ts";
import { serverCommand } from "./commands/server.ts";
import { serviceCommand } from "./commands/service.ts";
import { sourceCommand } from "./commands/source.ts";
import { statusCommand } from "./commands/status.ts";
import { stdioCommand } from "./commands/stdio.ts";
import { syncCommand } from "./commands/sync.ts";
import { taskCommand } from "./commands/task.ts";
import { ticketCommand } from "./commands/ticket.ts";
import { tokenCommand } from "./commands/token.ts";
import { toolCommand } from "./commands/tool.ts";
import { toolboxCommand } from "./commands/toolbox.ts";
import { trustCommand } from "./commands/trust.ts";
import type { Shell } from "./shell.ts";

const GROUPS: Readonly<Record<string, readonly ((shell: Shell) => Command)[]>> = {
  "Run it:": [
    serveCommand,
    statusCommand,
    logsCommand,
    stdioCommand,
    initCommand,
    openCommand,
    doctorCommand,
    serviceCommand,
  ],
  "Tools and who may call them:": [
    importCommand,
    connectCommand,
    serverCommand,
    toolCommand,
    pluginCommand,
    toolboxCommand,
    agentCommand,
    tokenCommand,
    callCommand,
  ],
  "People and agents:": [
    questionCommand,
    approvalCommand,
    notificationCommand,
    taskCommand,
    projectCommand,
    ticketCommand,
  ],
  "Knowledge and memory:": [sourceCommand, syncCommand, searchCommand, memoryCommand],
  "Settings and safety:": [
    personCommand,
    auditCommand,
    configCommand,
    secretCommand,
    trustCommand,
    ruleCommand,
    backupCommand,
    restoreCommand,
    completionCommand,
  ],
};

/** The whole command line as a tree; also what the completion scripts and the test of the docs read. */
export function createProgram(shell: Shell, version: string): Command {
  const program = new Command("toolkeep")
    .description("The tool layer between agents and everything they can call.")
    .version(version, "-v, --version", "print the version")
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nExit codes: 0 ok, 1 failed, 2 bad usage, 3 not found, 4 refused, 5 unreachable, 6 already running.",
    );
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const create of commands) program.addCommand(create(shell));
  }
  quiet(program, shell);
  program.helpCommand("help [command]", "show what a command takes");
  return program;
}

/** Nothing but `main` prints errors or ends the process. */
function quiet(command: Command, shell: Shell): void {
  command
    .helpCommand(false)
    .exitOverride()
    .configureOutput({
      writeOut: shell.terminal.out,
      writeErr: shell.terminal.err,
      outputError: () => undefined,
    });
  for (const child of command.commands) quiet(child, shell);
}
