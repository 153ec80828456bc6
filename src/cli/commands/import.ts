// `mailkeep import`: sends mail files (eml, mbox, zip, Maildir) to a server, in order, unchanged.
// With --store it moves a whole mailbox from PostgreSQL to a data folder instead.
import { type Inbox, MailkeepError } from "../../client/index.ts";
import { kinds, UsageError, under, type Values } from "../../config/index.ts";
import { formatSize } from "../../lib/numbers.ts";
import { counted } from "../../lib/text.ts";
import { readHeaders } from "../../mime/index.ts";
import { searchHint } from "../../query/index.ts";
import { DeliveryError, type SmtpClient } from "../../smtp-client/index.ts";
import { type Command, readInput } from "../command/command.ts";
import { exitCodeOf, untilSignal } from "../command/signals.ts";
import { type Progress, printable, progressOn, startProgress } from "../command/terminal.ts";
import { guessEnvelope } from "../mail/envelope.ts";
import { findMailFiles, type MailFile } from "../mail/mail-files.ts";
import { isMove, moveFlags, moveMailbox } from "../mail/move-mailbox.ts";
import { type FoundMail, readMails } from "../mail/read-mails.ts";
import { connectTo, explainFailure, SMTP_SETTING, smtpTargetOf } from "../mail/smtp-target.ts";
import { openInbox, SERVER_SETTINGS } from "../remote/settings.ts";
import { UNREACHABLE } from "../remote/verdict.ts";

const flags = under("Import", { flagOnly: true });
const SETTINGS = {
  to: flags.list(kinds.text, "Envelope recipient for every mail, instead of those in its header"),
  mbox: flags.withDefault(
    kinds.oneOf("rd", "o"),
    "rd",
    'How the mbox hides "From " at the start of a line: mboxrd or mboxo',
  ),
  skipKnown: flags.toggle("Skip mails whose Message-ID the server at --url already has"),
  useMessageDates: flags.toggle("Use the Date of each mail as its time of arrival"),
  smtp: SMTP_SETTING,
  ...SERVER_SETTINGS,
  ...moveFlags(
    "Import",
    "Instead of files: copy the mailbox in this PostgreSQL to the data folder of a stopped server",
  ),
};

const sizeOf = (files: readonly MailFile[]) => files.reduce((sum, { size }) => sum + size, 0);

const failureOf = (error: unknown) => (error instanceof DeliveryError ? error.failure : null);

interface ImportJob {
  readonly files: readonly MailFile[];
  readonly settings: Values<typeof SETTINGS>;
  readonly client: SmtpClient;
  readonly progress: Progress;
  readonly warn: (text: string) => void;
  /** Counted during the import, so that `imported` is printed even if the server disappears. */
  readonly tally: { imported: number; known: number; failed: number };
  readonly isKnown: (mail: Uint8Array) => Promise<boolean>;
  /** Whether a signal came. The mail that is being sent at that moment is finished first. */
  readonly isStopped: () => boolean;
}

const fieldOf = (mail: Uint8Array, key: string) =>
  readHeaders(mail)
    .find(({ name }) => name.toLowerCase() === key)
    ?.value.trim();

const messageIdOf = (mail: Uint8Array) => fieldOf(mail, "message-id");

/** Null if the Date header is missing or unreadable. Such a mail gets the current time. */
function dateOf(mail: Uint8Array): number | null {
  const time = Date.parse(fieldOf(mail, "date") ?? "");
  return time > 0 ? time : null;
}

/** The search also finds ids that contain this one, so the ids themselves are compared. */
async function isStored(mail: Uint8Array, inbox: Inbox): Promise<boolean> {
  const id = messageIdOf(mail);
  const q = `message-id:"${id?.replaceAll('"', " ")}"`;
  // A search for an id of very many words would fail.
  if (!id || searchHint(q) !== null) return false;
  for (const candidate of await inbox.list({ q })) {
    if (messageIdOf(await inbox.raw(candidate.id)) === id) return true;
  }
  return false;
}

/** Why the mail was not imported, or null. Throws if the connection fails. */
async function deliver({ name, bytes }: FoundMail, { client, settings }: ImportJob): Promise<string | null> {
  const envelope = guessEnvelope(bytes, settings.to);
  if (envelope.recipients.length === 0) return `${name}: no recipient in its header; give one with --to`;
  try {
    const receivedAt = settings.useMessageDates ? dateOf(bytes) : null;
    const mail = { size: bytes.length, chunks: () => [bytes] };
    await client.send({ ...envelope, receivedAt }, mail, { toAll: true });
    return null;
  } catch (error) {
    const isOnlyThisMail = ["refused", "unsendable"].includes(failureOf(error) ?? "");
    if (isOnlyThisMail) return `${name}: ${(error as DeliveryError).message}`;
    throw error;
  }
}

async function importFiles(job: ImportJob): Promise<void> {
  const { files, settings, progress, warn, tally, isStopped } = job;
  const total = sizeOf(files);
  let bytesBefore = 0;
  for (const file of files) {
    for await (const found of readMails(file, settings.mbox)) {
      if (isStopped()) return;
      const isKnown = !("problem" in found) && (await job.isKnown(found.bytes));
      const problem = "problem" in found ? found.problem : isKnown ? null : await deliver(found, job);
      if (isKnown) tally.known++;
      else if (problem === null) tally.imported++;
      else {
        tally.failed++;
        progress.end();
        warn(problem);
      }
      progress.update("importing", bytesBefore + found.position, total, counted(tally.imported, "mail"));
    }
    bytesBefore += file.size;
  }
  progress.update("importing", total, total, counted(tally.imported, "mail"));
}

export const importCommand: Command = {
  name: "import",
  summary: "Import stored mail: eml, mbox and zip files, folders, Maildirs",
  usage: "[flags] FILE…",
  details: `The bytes stay as they are. An .eml file is one mail. Other files are
recognised by their beginning: a mail, an mbox or a zip file of 'mailkeep
export'. A folder is read with its subfolders, but without hidden files.
In a Maildir, only the folders cur and new are read. "-" reads standard
input; a named pipe works, too.

The envelope comes from Return-Path (or From) and Delivered-To (or To, Cc
and Bcc). Files that cannot be read or are not mails, and mails that the
server refuses, are listed; all others are imported. If the server offers
STARTTLS, the mail is sent encrypted; the certificate is not checked.

The time of arrival is now; with --use-message-dates it is the Date of
the mail, unless that is in the future. The list keeps the order of the
import. Ctrl+C stops after the current mail and prints how many were
imported; import again with --skip-known to continue. Mails that have no
Message-ID, or one without letters and digits, or one of more than 50
words, are then imported again.

With --store nothing is sent: the whole mailbox of a PostgreSQL database
goes to the empty data folder of a stopped server, with flags, tags and
inboxes.

Exit code: 0 all imported, 1 some were not, 2 wrong usage, 3 the server
does not answer or refuses the connection.`,
  settings: SETTINGS,
  async run(context) {
    if (isMove(context)) return moveMailbox("import", context);
    const { settings, positionals } = readInput(SETTINGS, context);
    if (positionals.length === 0) throw new UsageError("import needs at least one file or folder");
    // Names of files and zip entries may come from strangers.
    const warn = (text: string) => context.err(`mailkeep: ${printable(text)}\n`);
    const { files, problems } = await findMailFiles(positionals, context.input);
    if (files.length === 0 && problems.length > 0) {
      throw new UsageError(problems.map(printable).join("\nmailkeep: "));
    }
    problems.forEach(warn);
    const progress = startProgress(progressOn(context));
    const tally = { imported: 0, known: 0, failed: 0 };
    const stop: { signal?: NodeJS.Signals } = {};
    untilSignal().then((signal) => Object.assign(stop, { signal }));
    const inbox = settings.skipKnown ? openInbox(settings, context) : null;
    const target = smtpTargetOf(settings.smtp, context);
    let client: SmtpClient | null = null;
    try {
      client = await connectTo(target);
      const isKnown = async (mail: Uint8Array) => inbox !== null && (await isStored(mail, inbox));
      const isStopped = () => stop.signal !== undefined;
      await importFiles({ files, settings, client, progress, warn, tally, isKnown, isStopped });
      progress.end();
      const { imported, known } = tally;
      const failed = tally.failed + problems.length;
      const rest = `${known > 0 ? `, ${known} known already` : ""}${failed > 0 ? `, ${failed} not imported` : ""}`;
      if (stop.signal !== undefined) {
        context.out(`${counted(imported, "mail")} imported${rest} before ${stop.signal} stopped it\n`);
        return exitCodeOf(stop.signal);
      }
      context.out(`${counted(imported, "mail")} imported${rest} (${formatSize(sizeOf(files))} read)\n`);
      return failed > 0 ? 1 : 0;
    } catch (error) {
      if (!(error instanceof DeliveryError || error instanceof MailkeepError)) throw error;
      progress.end();
      warn(error instanceof DeliveryError ? explainFailure(error, target) : error.message);
      if (tally.imported > 0) context.out(`${counted(tally.imported, "mail")} imported before that\n`);
      return UNREACHABLE;
    } finally {
      await client?.close();
    }
  },
};
