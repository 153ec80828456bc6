// `sendmail -bs`: the program that called speaks SMTP itself, as Symfony and Laravel do by default.
import type { Readable } from "node:stream";
import { connectionFailure, DeliveryError, openSocket, tlsOptions } from "../../smtp-client/index.ts";
import type { SmtpTarget } from "./smtp-target.ts";

export interface Conversation {
  readonly target: SmtpTarget;
  /** What the program says. */
  readonly input: Readable;
  /** What the server says. */
  readonly out: (text: string) => void;
  readonly greetingMs?: number;
  readonly answerMs?: number;
}

const GREETING_TIMEOUT_MS = 60_000;
/** How long the answer to a mail may take (RFC 5321 section 4.5.3.2.6); a client that gives up sooner sends it again. */
const ANSWER_TIMEOUT_MS = 10 * 60_000;

/**
 * Runs until the server closes, after QUIT or the end of the input. Throws a DeliveryError if the connection ends in
 * another way.
 */
export async function converse(conversation: Conversation): Promise<void> {
  const { target, input, out } = conversation;
  const { greetingMs = GREETING_TIMEOUT_MS, answerMs = ANSWER_TIMEOUT_MS } = conversation;
  const socket = openSocket(target, target.isTls ? tlsOptions(target.host) : null);
  const silence = new DeliveryError("timeout", "the server is silent");
  let isGreeted = false;
  // The server must not be silent before its greeting and after the end of the input. In between the program may pause.
  const awaitAnswer = () => {
    if (isGreeted && input.readableEnded) socket.setTimeout(answerMs);
  };
  socket.setTimeout(greetingMs, () => socket.destroy(silence));
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
    throw error === silence ? error : connectionFailure(error as Error, !isGreeted && !target.isTls);
  }
  if (!isGreeted) throw connectionFailure(null, !target.isTls);
}
