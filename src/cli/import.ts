// `mailkeep import`: sends stored mail (eml, mbox, zip, Maildir) to a running server, in order and to the byte.
import { kinds, UsageError, under, type Values } from "../config/index.ts";
import { counted } from "../lib/counted.ts";
import { formatSize } from "../lib/size.ts";
import type { Command } from "./command.ts";
import { UNREACHABLE } from "./inbox/exit-codes.ts";
import { DeliveryError } from "./mail/delivery-error.ts";
import { guessEnvelope } from "./mail/envelope.ts";
import { LastingDelivery } from "./mail/lasting-delivery.ts";
import type { MailFile } from "./mail/mail-file.ts";
import { findMailFiles } from "./mail/mail-files.ts";
import { type FoundMail, readMails } from "./mail/read-mails.ts";
import { SMTP_SETTING } from "./mail/smtp-target.ts";
import { type Progress, startProgress } from "./progress.ts";
import { readInput } from "./read-input.ts";
import { smtpServer } from "./smtp-server.ts";
import { isTerminal } from "./terminal.ts";

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

interface Tally {
  imported: number;
  failed: number;
}

interface ImportJob {
  readonly files: readonly MailFile[];
  readonly settings: Values<typeof SETTINGS>;
  readonly delivery: LastingDelivery;
  readonly progress: Progress;
  readonly warn: (text: string) => void;
  /** Counted as it goes: what was imported is told also when the server is gone before the end. */
  readonly tally: Tally;
}

/** Why the mail was not taken, or null. Throws when the server itself is gone. */
async function deliver(found: FoundMail, { delivery, settings }: ImportJob): Promise<string | null> {
  const { name, bytes } = found;
  const envelope = guessEnvelope(bytes, settings.to, found.envelope);
  if (envelope.recipients.length === 0) return `${name}: no recipient in its header; give one with --to`;
  try {
    await delivery.send(envelope, bytes);
    return null;
  } catch (error) {
    if (error instanceof DeliveryError && error.code !== null) return `${name}: ${error.message}`;
    throw error;
  }
}

async function importFiles(job: ImportJob): Promise<void> {
  const { files, settings, progress, warn, tally } = job;
  const total = sizeOf(files);
  let bytesBefore = 0;
  for (const file of files) {
    for await (const found of readMails(file, settings.mbox)) {
      const problem = "problem" in found ? found.problem : await deliver(found, job);
      if (problem === null) tally.imported++;
      else {
        tally.failed++;
        progress.end();
        warn(problem);
      }
      progress.update(bytesBefore + found.position, total, counted(tally.imported, "mail"));
    }
    bytesBefore += file.size;
  }
  progress.end();
}

export const importCommand: Command = {
  name: "import",
  summary: "Bring stored mail in: eml, mbox and zip files, folders, Maildirs",
  usage: "[flags] FILE…",
  details: `The bytes stay as they are. An .eml file is one mail; what others hold is
told by how they begin: a mail, an mbox, a zip file of 'mailkeep export',
a mail that MailHog kept. A folder comes with its subfolders, without
hidden files; of a Maildir, cur and new. "-" reads standard input; a pipe
can be named, too.

The envelope comes from Return-Path (or From) and Delivered-To (or To, Cc
and Bcc); with MailHog from its own lines. What cannot be read, is no
mail or is not taken is named, and the others follow. Where the server
offers STARTTLS the mail goes encrypted; the certificate is not checked.

Exit code: 0 all imported, 1 some were not, 2 wrong usage, 3 the server
cannot be reached.`,
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
    const tally = { imported: 0, failed: 0 };
    let delivery: LastingDelivery | null = null;
    try {
      delivery = await LastingDelivery.open(smtpServer(settings.smtp, context));
      await importFiles({ files, settings, delivery, progress, warn, tally });
      const { imported, failed } = tally;
      const rest = failed > 0 ? `, ${failed} not` : "";
      context.out(`${counted(imported, "mail")} imported${rest} (${formatSize(sizeOf(files))} read)\n`);
      return failed > 0 || problems.length > 0 ? 1 : 0;
    } catch (error) {
      if (!(error instanceof DeliveryError)) throw error;
      progress.end();
      warn(error.message);
      if (tally.imported > 0) context.out(`${counted(tally.imported, "mail")} imported before that\n`);
      return UNREACHABLE;
    } finally {
      await delivery?.close();
    }
  },
};
