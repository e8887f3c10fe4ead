// A server of before 2026-07-28 with one tool, whose name is the argument: node long-name-server.mjs NAME
import { serve, text, tool } from "../../test/support/servers/rpc.mjs";

serve([tool(process.argv[2])], { "tools/call": ({ params }) => text(`Echo: ${params.arguments.message}`) });
