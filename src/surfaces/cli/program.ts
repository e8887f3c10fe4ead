import { Command } from "commander";
import { FEATURES } from "../../features.ts";
import { agentCommand } from "./commands/access/agent.ts";
import { personCommand } from "./commands/access/person.ts";
import { approvalCommand, questionCommand } from "./commands/access/question.ts";
import { ruleCommand } from "./commands/access/rule.ts";
import { secretCommand } from "./commands/access/secret.ts";
import { tokenCommand } from "./commands/access/token.ts";
import { toolboxCommand } from "./commands/access/toolbox.ts";
import { trustCommand } from "./commands/access/trust.ts";
import { auditCommand } from "./commands/audit/audit.ts";
import { notificationCommand } from "./commands/audit/notification.ts";
import { backupCommand } from "./commands/daemon/backup.ts";
import { completionCommand } from "./commands/daemon/completion.ts";
import { configCommand } from "./commands/daemon/config.ts";
import { doctorCommand } from "./commands/daemon/doctor.ts";
import { initCommand } from "./commands/daemon/init.ts";
import { logsCommand } from "./commands/daemon/logs.ts";
import { openCommand } from "./commands/daemon/open.ts";
import { restoreCommand } from "./commands/daemon/restore.ts";
import { serveCommand } from "./commands/daemon/serve.ts";
import { serviceCommand } from "./commands/daemon/service.ts";
import { statusCommand } from "./commands/daemon/status.ts";
import { stdioCommand } from "./commands/daemon/stdio.ts";
import { memoryCommand } from "./commands/knowledge/memory.ts";
import { searchCommand } from "./commands/knowledge/search.ts";
import { sourceCommand } from "./commands/knowledge/source.ts";
import { syncCommand } from "./commands/knowledge/sync.ts";
import { callCommand } from "./commands/servers/call.ts";
import { connectCommand } from "./commands/servers/connect.ts";
import { importCommand } from "./commands/servers/import.ts";
import { pluginCommand } from "./commands/servers/plugin.ts";
import { serverCommand } from "./commands/servers/server.ts";
import { toolCommand } from "./commands/servers/tool.ts";
import { featureCommand } from "./feature-commands.ts";
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
  "People and agents:": [questionCommand, approvalCommand, notificationCommand],
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

/** The whole command line as a tree. Completion scripts and the docs test read it too. */
export function createProgram(shell: Shell, version: string): Command {
  const program = new Command("toolkeep")
    .description("The tool layer between agents and everything they can call.")
    .version(version, "-v, --version", "Print the version")
    .showSuggestionAfterError()
    .addHelpText(
      "after",
      "\nExit codes: 0 success, 1 failure, 2 bad usage, 3 not found, 4 refused, 5 unreachable, 6 already running",
    );
  for (const [heading, commands] of Object.entries(GROUPS)) {
    program.commandsGroup(heading);
    for (const create of commands) program.addCommand(create(shell));
    for (const group of FEATURES.flatMap((feature) => feature.commands ?? []))
      if (`${group.heading}:` === heading) program.addCommand(featureCommand(shell, group));
  }
  silenceErrors(program, shell);
  program.helpCommand("help [command]", "Show help for a command");
  return program;
}

/** Only `main` prints errors and exits the process. */
function silenceErrors(command: Command, shell: Shell): void {
  command
    .helpCommand(false)
    .helpOption("-h, --help", "Show help")
    .exitOverride()
    .configureOutput({
      writeOut: shell.terminal.out,
      writeErr: shell.terminal.err,
      outputError: () => undefined,
    });
  for (const child of command.commands) silenceErrors(child, shell);
}
