// What a process takes that syncs notes and a mailbox: node sync-memory.mjs HOME NOTES MAILBOX, prints its figures as JSON.
import { createHub } from "../../dist/index.js";

const MEGABYTE = 2 ** 20;
const LOOK_MS = 20;
const [home, notes, mailbox] = process.argv.slice(2);

const hub = await createHub({
  home,
  settings: { log_level: "silent", default_rules: false, knowledge: { embeddings: false } },
});
const before = process.memoryUsage.rss();
let most = before;
const looking = setInterval(() => {
  most = Math.max(most, process.memoryUsage.rss());
}, LOOK_MS);
try {
  const { sync } = hub.knowledge;
  await sync.addSource({ name: "notes", kind: "folder", config: { path: notes } });
  await sync.addSource({ name: "mail", kind: "mail", config: { path: mailbox } });
  const { sources } = await sync.sync({ access: { labels: null } });
  const broken = sources.find(({ ok, failed }) => !ok || failed > 0);
  if (broken) throw new Error(JSON.stringify(broken));
  const chunks = sources.reduce((sum, report) => sum + report.chunks, 0);
  console.log(JSON.stringify({ chunks, beforeMb: before / MEGABYTE, mostMb: most / MEGABYTE }));
} finally {
  clearInterval(looking);
  await hub.close();
}
