// Writes down the nonce of every call before it answers: what a client was told can be compared with what really ran. node receipt-server.mjs FILE
import { openSync, writeSync } from "node:fs";
import { serve, text, tool } from "../../test/support/servers/rpc.mjs";

// Opened to append: two processes write to one file, and no line may end up within another.
const file = openSync(process.argv[2], "a");

serve([tool("note")], {
  "tools/call": ({ params }) => {
    writeSync(file, `${params.arguments.nonce}\n`);
    return text("noted");
  },
});
