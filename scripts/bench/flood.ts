// Mailkeep's own load generator: pipelined (RFC 2920), one write for each mail, as fast as the server answers.
import { type MailKind, mailsOf } from "./mails.ts";
import { SmtpConnection, type Step } from "./smtp-connection.ts";

export interface Load {
  readonly kind: MailKind;
  readonly mails: number;
  readonly connections: number;
  /** False opens a new connection for each mail. */
  readonly kept: boolean;
  /** The mails go to these inboxes in turn. */
  readonly inboxes?: readonly string[];
}

export const kept = (connections: number, mails: number): Load => ({
  kind: "2 KB",
  mails,
  connections,
  kept: true,
});

interface Mail {
  readonly envelope: Buffer;
  readonly text: Buffer;
}

const HELLO: Step = { bytes: "EHLO bench\r\n", replies: 1 };
const QUIT: Step = { bytes: "QUIT\r\n", replies: 1 };
const envelopeTo = (mailbox: string) =>
  Buffer.from(`MAIL FROM:<shop@example.com>\r\nRCPT TO:<${mailbox}@example.com>\r\nDATA\r\n`);
const ENVELOPE = envelopeTo("reader");
const END = Buffer.from(".\r\n");

/** Sends each text after the reply to its DATA, together with the envelope of the next mail. */
function* conversation(nextMail: () => Mail | null): Generator<Step> {
  yield HELLO;
  let mail = nextMail();
  if (mail !== null) yield { bytes: mail.envelope, replies: 3 };
  while (mail !== null) {
    const following = nextMail();
    if (following === null) yield { bytes: Buffer.concat([mail.text, END]), replies: 1 };
    else yield { bytes: Buffer.concat([mail.text, END, following.envelope]), replies: 4 };
    mail = following;
  }
  yield QUIT;
}

/** Numbers the mails from `firstNumber` on. Resolves when the last one is acknowledged. */
export async function flood(port: number, load: Load, firstNumber = 1): Promise<void> {
  const build = mailsOf(load.kind);
  const end = firstNumber + load.mails;
  let number = firstNumber;
  const envelopes = load.inboxes?.map((name) => envelopeTo(`reader+${name}`)) ?? [ENVELOPE];
  const nextMail = () => {
    if (number >= end) return null;
    const envelope = envelopes[number % envelopes.length] ?? ENVELOPE;
    return { envelope, text: build(number++) };
  };
  const single = () => {
    let isSent = false;
    return () => {
      if (isSent) return null;
      isSent = true;
      return nextMail();
    };
  };
  const worker = async () => {
    if (load.kept) return SmtpConnection.talk(port, conversation(nextMail));
    while (number < end) await SmtpConnection.talk(port, conversation(single()));
  };
  await Promise.all(Array.from({ length: load.connections }, worker));
}

export function deliver(port: number, mail: string): Promise<void> {
  const mails = [{ envelope: ENVELOPE, text: Buffer.from(mail) }];
  return SmtpConnection.talk(
    port,
    conversation(() => mails.shift() ?? null),
  );
}
