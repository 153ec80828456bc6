// `mailkeep send`, also `mailkeep sendmail`: a replacement for sendmail that sends to Mailkeep. It
// exits with codes of sysexits.h, but never EX_TEMPFAIL: PHP and others take that for "queued".
import type { Readable } from "node:stream";
import { type ComposedMail, composeRequest } from "../../app/index.ts";
import { kinds, UsageError, under } from "../../config/index.ts";
import { parseSendRequest } from "../../http/index.ts";
import { systemReason } from "../../lib/system-error.ts";
import { connectionFailure, DeliveryError, openSocket, tlsOptions } from "../../smtp-client/index.ts";
import { type Command, type CommandContext, readInput } from "../command/command.ts";
import { composeMail, parseSendmailArguments } from "../mail/sendmail.ts";
import {
  connectTo,
  explainFailure,
  SMTP_SETTING,
  type SmtpTarget,
  smtpTargetOf,
} from "../mail/smtp-target.ts";

const EX_USAGE = 64;
const EX_DATAERR = 65;
const EX_UNAVAILABLE = 69;

const SETTINGS = {
  json: under("Mail").optional(
    kinds.path,
    "Compose the mail from this JSON file, the body of POST /api/v1/send; - for standard input",
    { flagOnly: true },
  ),
  smtp: SMTP_SETTING,
};

async function send(context: CommandContext): Promise<number> {
  const options = parseSendmailArguments(context.args);
  const { settings } = readInput(SETTINGS, { ...context, args: options.longFlags });
  const target = smtpTargetOf(settings.smtp, context);
  if (options.speaksSmtp) {
    return unlessRefused(context, target, () => converse(target, process.stdin, context.out));
  }
  if (settings.json !== undefined) {
    if (options.recipients.length > 0 || options.sender !== null)
      throw new UsageError("--json takes sender and recipients from the file, not from the command line");
    const mail = await composedFrom(settings.json, context);
    return unlessRefused(context, target, () => transmit(target, mail));
  }
  if (!options.readsRecipients && options.recipients.length === 0) {
    throw new UsageError("no recipient: name at least one, or use -t to take them from the mail's header");
  }
  const { USER, LOGNAME } = context.environment;
  const mail = await context.input().catch((error: Error) => {
    throw new UsageError(`cannot read the mail from standard input: ${systemReason(error)}`);
  });
  const { envelope, bytes } = composeMail(mail, options, USER || LOGNAME || "nobody");
  if (envelope.recipients.length === 0) {
    context.err("mailkeep: no recipient: the mail's To, Cc and Bcc fields name nobody\n");
    return EX_DATAERR;
  }
  return unlessRefused(context, target, () => transmit(target, { envelope, bytes }));
}

async function transmit(target: SmtpTarget, { envelope, bytes }: ComposedMail): Promise<void> {
  const client = await connectTo(target);
  try {
    await client.send(envelope, { size: bytes.length, chunks: () => [bytes] }, { toAll: true });
  } finally {
    await client.close();
  }
}

async function composedFrom(path: string, { input }: CommandContext): Promise<ComposedMail> {
  const bytes = await (path === "-" ? input() : Bun.file(path).bytes()).catch((error: Error) => {
    throw new UsageError(`cannot read ${path}: ${systemReason(error)}`);
  });
  try {
    return await composeRequest(parseSendRequest(JSON.parse(new TextDecoder().decode(bytes))));
  } catch (error) {
    throw new UsageError(`${path}: ${(error as Error).message}`);
  }
}

async function unlessRefused(
  { err }: CommandContext,
  target: SmtpTarget,
  deliver: () => Promise<void>,
): Promise<number> {
  try {
    await deliver();
    return 0;
  } catch (error) {
    if (!(error instanceof DeliveryError)) throw error;
    err(`mailkeep: ${explainFailure(error, target)}\n`);
    return EX_UNAVAILABLE;
  }
}

export const sendCommand: Command = {
  name: "send",
  summary: "Send the mail on standard input, with the flags of sendmail",
  usage: "[-t] [-i] [-f sender] [-F name] [flags] [recipient…]",
  details: `  -t         take the recipients from To, Cc and Bcc, or from
             Resent-To and the like if present; Bcc is removed
  -i, -oi    a line with a single dot does not end the mail
  -f sender  envelope sender; otherwise that of the Sender or From field
  -F name    name for the From field of a mail that has none
  -bs        speak SMTP on standard input and output, as Laravel and
             Symfony expect by default; the calling program must log
             in and use STARTTLS itself if the server requires it

Other flags of sendmail are accepted and change nothing; modes that do
not send a mail (-bp, -q and the like) are refused. Bare line feeds
become CRLF; nothing else is changed. If the server offers STARTTLS, the
mail is sent encrypted; the certificate is not checked.

With --json the mail is composed from JSON: from, to, cc, bcc, subject,
text, html, headers and attachments (filename, content_type, content in
base64), as POST /api/v1/send takes it.

In php.ini: sendmail_path = "/usr/local/bin/mailkeep sendmail -t -i"
A link called sendmail runs this command:
ln -s /usr/local/bin/mailkeep /usr/sbin/sendmail
On Windows, a copy called sendmail.exe does.

Exit code: 0 accepted, 64 wrong usage, 65 no recipient in the mail,
69 the server does not answer or refuses the mail.`,
  settings: SETTINGS,
  ownsShortFlags: true,
  async run(context) {
    try {
      return await send(context);
    } catch (error) {
      if (!(error instanceof UsageError)) throw error;
      context.err(`mailkeep: ${error.message}\n`);
      return EX_USAGE;
    }
  },
};

export const sendmailCommand: Command = {
  ...sendCommand,
  name: "sendmail",
  summary: "The same as send, by the name that programs expect",
};

/** `sendmail -bs`: the caller speaks SMTP. Throws a DeliveryError if the server is gone. */
export async function converse(
  target: SmtpTarget,
  input: Readable,
  out: (text: string) => void,
): Promise<void> {
  const socket = openSocket(target, target.isTls ? tlsOptions(target.host) : null);
  let isGreeted = false;
  try {
    input.pipe(socket);
    for await (const replies of socket.setEncoding("utf8")) {
      isGreeted = true;
      out(replies);
    }
  } catch (error) {
    socket.destroy();
    throw connectionFailure(error as Error, !isGreeted && !target.isTls);
  }
  if (!isGreeted) throw connectionFailure(null, !target.isTls);
}
