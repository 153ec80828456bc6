// `sendmail -bs`: the program that called speaks SMTP itself, as Symfony and Laravel do unless told otherwise.
import type { Readable } from "node:stream";
import { DeliveryError } from "./delivery-error.ts";
import { CLOSED, giveUpOnSilence, openSocket, PERHAPS_TLS, reasonOf } from "./smtp-socket.ts";
import { type SmtpTarget, showTarget } from "./smtp-target.ts";

export interface Conversation {
  readonly target: SmtpTarget;
  /** What the program says. */
  readonly input: Readable;
  /** What the server says. */
  readonly out: (text: string) => void;
  readonly patienceMs?: number;
}

/** Until the server closes: after QUIT, or the input's end. */
export async function converse({ target, input, out, patienceMs }: Conversation): Promise<void> {
  const socket = openSocket(target);
  const fail = (reason: string, cause?: unknown) =>
    new DeliveryError(`${showTarget(target)}: ${reason}`, null, { cause });
  let isGreeted = false;
  // Silence is the server's before it greets and after the input's end. In between the program may pause.
  giveUpOnSilence(socket, patienceMs);
  input.once("end", () => giveUpOnSilence(socket, patienceMs));
  try {
    input.pipe(socket);
    for await (const replies of socket.setEncoding("utf8")) {
      if (!isGreeted && !input.readableEnded) socket.setTimeout(0);
      isGreeted = true;
      out(replies);
    }
  } catch (error) {
    socket.destroy();
    throw fail(reasonOf(error as Error), error);
  }
  if (!isGreeted) throw fail(`${CLOSED}${target.isTls ? "" : PERHAPS_TLS}`);
}
