import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Passes everything on until it stalls; then connections stay open and nothing goes either way. */
export async function stalling(behind: string) {
  const target = new URL(behind);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname);
    for (const each of [socket, onward]) sockets.add(each.on("error", () => {}));
    socket.on("close", () => onward.destroy());
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = new URL(behind);
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    stall() {
      for (const socket of sockets) socket.unpipe().pause();
    },
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
