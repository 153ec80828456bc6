// `mailkeep import`: sends stored mail (eml, mbox, Maildir) to a running server, in order and to the byte.
import { kinds, UsageError, under, type Values } from "../config/index.ts";
import { formatSize } from "../lib/size.ts";
import type { Command } from "./command.ts";
import { DeliveryError } from "./mail/delivery-error.ts";
import { guessEnvelope } from "./mail/envelope.ts";
import { findMailFiles, type MailFile, readMails, UnreadableFileError } from "./mail/mail-files.ts";
import { SmtpDelivery } from "./mail/smtp-delivery.ts";
import { SMTP_SETTING } from "./mail/smtp-target.ts";
import { type Progress, startProgress } from "./progress.ts";
import { readInput } from "./read-input.ts";
import { isTerminal } from "./terminal.ts";

const UNREACHABLE = 3;

const flags = under("Import", { flagOnly: true });
const SETTINGS = {
  to: flags.list(kinds.text, "Envelope recipient for every mail, instead of those in its header"),
  mbox: flags.withDefault(
    kinds.oneOf("rd", "o"),
    "rd",
    'How the mbox hides "From " at the start of a line: mboxrd or mboxo',
  ),
  smtp: SMTP_SETTING,
};

const sizeOf = (files: readonly MailFile[]) => files.reduce((sum, { size }) => sum + size, 0);
const plural = (count: number) => (count === 1 ? "1 mail" : `${count} mails`);

interface ImportJob {
  readonly files: readonly MailFile[];
  readonly settings: Values<typeof SETTINGS>;
  readonly delivery: SmtpDelivery;
  readonly progress: Progress;
  readonly warn: (text: string) => void;
}

interface Tally {
  imported: number;
  failed: number;
}

/** The server's objection to this mail, or null. Throws when the server itself is gone. */
async function deliver(bytes: Uint8Array, { delivery, settings }: ImportJob): Promise<string | null> {
  const envelope = guessEnvelope(bytes, settings.to);
  if (envelope.recipients.length === 0) return "no recipient in its header; give one with --to";
  try {
    await delivery.send(envelope, bytes);
    return null;
  } catch (error) {
    if (error instanceof DeliveryError && error.code !== null) return error.message;
    throw error;
  }
}

async function importFiles(job: ImportJob): Promise<Tally> {
  const { files, settings, progress, warn } = job;
  const total = sizeOf(files);
  const tally = { imported: 0, failed: 0 };
  const fail = (reason: string) => {
    tally.failed++;
    progress.end();
    warn(reason);
  };
  let bytesBefore = 0;
  for (const file of files) {
    try {
      for await (const { name, bytes, position } of readMails(file, settings.mbox)) {
        const objection = await deliver(bytes, job);
        if (objection === null) tally.imported++;
        else fail(`${name}: ${objection}`);
        progress.update(bytesBefore + position, total, plural(tally.imported));
      }
    } catch (error) {
      if (!(error instanceof UnreadableFileError)) throw error;
      fail(error.message);
    }
    bytesBefore += file.size;
  }
  progress.end();
  return tally;
}

export const importCommand: Command = {
  name: "import",
  summary: "Bring stored mail into a running Mailkeep: eml and mbox files, Maildir folders",
  usage: "[flags] FILE…",
  details: `The bytes stay as they are. The envelope comes from Return-Path (or From) and Delivered-To (or To,
Cc and Bcc). A file that cannot be read or a mail that is not taken is named, and the others follow.
"-" reads an mbox or a single mail from standard input; a pipe can be named, too. A Maildir comes
with its subfolders.

Exit code: 0 all imported, 1 some were not, 2 wrong usage, 3 the server cannot be reached.`,
  settings: SETTINGS,
  async run(context) {
    const { settings, positionals } = readInput(SETTINGS, context);
    if (positionals.length === 0) throw new UsageError("import needs at least one file or folder");
    const warn = (text: string) => context.err(`mailkeep: ${text}\n`);
    const { files, problems } = await findMailFiles(positionals, context.input);
    if (files.length === 0 && problems.length > 0) throw new UsageError(problems.join("\nmailkeep: "));
    problems.forEach(warn);
    const progress = startProgress({
      task: "importing",
      isTerminal: isTerminal(process.stderr, context.environment),
      write: context.err,
      now: () => performance.now(),
    });
    let delivery: SmtpDelivery | null = null;
    try {
      delivery = await SmtpDelivery.open(settings.smtp);
      const { imported, failed } = await importFiles({ files, settings, delivery, progress, warn });
      const rest = failed > 0 ? `, ${failed} not` : "";
      context.out(`${plural(imported)} imported${rest} (${formatSize(sizeOf(files))} read)\n`);
      return failed > 0 || problems.length > 0 ? 1 : 0;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      progress.end();
      warn(error.message);
      return UNREACHABLE;
    } finally {
      await delivery?.close();
    }
  },
};
