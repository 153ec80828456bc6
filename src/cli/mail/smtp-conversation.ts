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
  readonly greetingMs?: number;
  readonly answerMs?: number;
}

/** So long may the answer to a mail take (RFC 5321 section 4.5.3.2.6); who gives up before sends it again. */
const ANSWER_TIMEOUT_MS = 10 * 60_000;

/** Until the server closes: after QUIT, or the input's end. */
export async function converse(conversation: Conversation): Promise<void> {
  const { target, input, out, greetingMs, answerMs = ANSWER_TIMEOUT_MS } = conversation;
  const socket = openSocket(target);
  const fail = (reason: string, cause?: unknown) =>
    new DeliveryError(`${showTarget(target)}: ${reason}`, null, { cause });
  let isGreeted = false;
  // Silence is the server's before it greets and after the input's end. In between the program may pause.
  const awaitAnswer = () => {
    if (isGreeted && input.readableEnded) giveUpOnSilence(socket, answerMs);
  };
  giveUpOnSilence(socket, greetingMs);
  input.once("end", awaitAnswer);
  try {
    input.pipe(socket);
    for await (const replies of socket.setEncoding("utf8")) {
      if (!isGreeted) {
        isGreeted = true;
        socket.setTimeout(0);
        awaitAnswer();
      }
      out(replies);
    }
  } catch (error) {
    socket.destroy();
    throw fail(reasonOf(error as Error), error);
  }
  if (!isGreeted) throw fail(`${CLOSED}${target.isTls ? "" : PERHAPS_TLS}`);
}
