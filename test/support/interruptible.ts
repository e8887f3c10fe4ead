import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";

/** Stands before a server on this machine and can be taken away, as a server that stops would be. */
export interface Interruptible extends AsyncDisposable {
  /** The address of the server behind, reached through here. */
  readonly url: string;
  /** Breaks every connection and refuses new ones. */
  interrupt(): Promise<void>;
  resume(): Promise<void>;
}

export async function interruptible(behind: string): Promise<Interruptible> {
  const target = new URL(behind);
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    const onward = connect(Number(target.port), target.hostname);
    for (const each of [socket, onward]) {
      sockets.add(each);
      each
        .on("error", () => {})
        .on("close", () => {
          sockets.delete(each);
          socket.destroy();
          onward.destroy();
        });
    }
    socket.pipe(onward).pipe(socket);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const url = new URL(behind);
  url.port = String(port);

  const interrupt = async () => {
    if (!server.listening) return;
    server.close();
    for (const socket of sockets) socket.destroy();
    await once(server, "close");
  };
  return {
    url: url.href,
    interrupt,
    async resume() {
      server.listen(port, "127.0.0.1");
      await once(server, "listening");
    },
    [Symbol.asyncDispose]: interrupt,
  };
}
