// Is SMTP answering? Asks as a client would: connects, expects a greeting, says goodbye.
import { connect } from "node:net";
import { reachable } from "../reachable.ts";

/** Resolves when the greeting is 220; rejects with the reason otherwise. */
export function checkSmtp(host: string, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const socket = connect({ host: reachable(host), port });
  socket.setEncoding("latin1");
  socket.on("error", (error) => reject(new Error(`SMTP does not answer: ${error.message}`)));
  socket.once("data", (greeting) => {
    const line = String(greeting).trimEnd();
    if (line.startsWith("220")) resolve();
    else reject(new Error(`SMTP answered: ${line}`));
    socket.end("QUIT\r\n");
  });
  socket.on("close", () => reject(new Error("SMTP closed the connection without a greeting")));
  return promise;
}
