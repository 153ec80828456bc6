// `sendmail -bs`: the program that called speaks SMTP itself, as Symfony and Laravel do unless told otherwise.
import { DeliveryError } from "./delivery-error.ts";
import { openSocket, reasonOf } from "./smtp-socket.ts";
import { type SmtpTarget, showTarget } from "./smtp-target.ts";

/** Standard input goes to the server, its replies to `out`, until the server closes: after QUIT, or the input's end. */
export async function converse(target: SmtpTarget, out: (text: string) => void): Promise<void> {
  const socket = openSocket(target);
  try {
    process.stdin.pipe(socket);
    for await (const replies of socket.setEncoding("utf8")) out(replies);
  } catch (error) {
    socket.destroy();
    throw new DeliveryError(`${showTarget(target)}: ${reasonOf(error as Error)}`, null, { cause: error });
  }
}
