// Reads the mails of a file one after the other. The content or the file's name tells the format.
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { UsageError } from "../../config/index.ts";
import { type CommandContext, StartError } from "../command/command.ts";
import { findMailFiles, type MailFile, startOf, UnreadableFileError } from "./mail-files.ts";
import { FIRST_SEPARATOR, type MboxQuoting, MboxReader } from "./mbox-reader.ts";
import { readZip } from "./zip-reader.ts";

type MailFormat = "mail" | "mbox" | "zip" | "unknown";

/** MailHog writes the envelope before the mail. Its files are refused: the envelope would be read as the header. */
const MAILHOG_START = /^HELO:<[^\n]*>\r\nFROM:</;

const MAIL_START = /^(?:From |(?:\xef\xbb\xbf)?[!-9;-~]+[ \t]*:)/;
const ZIP_START = /^PK(?:\x03\x04|\x05\x06)/;
const EML_PATH = /\.eml$/i;
const ZIP_PATH = /\.zip$/i;
/** File names in a Maildir begin with Unix time. A file with such a name is a mail, whatever it contains. */
const MAILDIR_PATH = /(?:^|[/\\])(?:cur|new)[/\\]\d{9,}\.[^/\\]+$/;

async function formatOf(file: MailFile): Promise<MailFormat> {
  const { path } = file;
  if (EML_PATH.test(path) || MAILDIR_PATH.test(path)) return "mail";
  const start = await startOf(file);
  // A mail without a header may begin with "From ", too, but an mbox has a time in that line.
  if (FIRST_SEPARATOR.test(start)) return "mbox";
  if (MAILHOG_START.test(start)) return "unknown";
  if (ZIP_START.test(start)) return "zip";
  if (MAIL_START.test(start)) return "mail";
  // An empty file is an mbox without mails. If it is named .zip, it is a damaged zip.
  if (start === "") return ZIP_PATH.test(path) ? "zip" : "mbox";
  return "unknown";
}

export interface FoundMail {
  /** How the command line names the mail in its output: `inbox.mbox, mail 3`. */
  readonly name: string;
  readonly bytes: Uint8Array;
  /** About how far into the file this mail ends, in bytes. For the progress bar. */
  readonly position: number;
}

interface LeftOut {
  /** A sentence that names the file. */
  readonly problem: string;
  /** The path of a file that does not look like a mail. */
  readonly noMail?: string;
  readonly position: number;
}

type Found = AsyncGenerator<FoundMail | LeftOut>;

/** Keeps about one mail in memory, however large the file. */
export async function* readMails(file: MailFile, quoting: MboxQuoting): Found {
  try {
    yield* READERS[await formatOf(file)](file, quoting);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield { problem: error.message, position: file.size };
  }
}

const READERS: Readonly<Record<MailFormat, (file: MailFile, quoting: MboxQuoting) => Found>> = {
  async *mail(file) {
    const chunks = await Array.fromAsync(file.chunks());
    yield { name: file.path, bytes: Buffer.concat(chunks), position: file.size };
  },
  async *mbox(file, quoting) {
    const reader = new MboxReader(quoting);
    let position = 0;
    let number = 0;
    const found = (bytes: Buffer) => {
      position += bytes.length;
      return { name: `${file.path}, mail ${++number}`, bytes, position };
    };
    for await (const chunk of file.chunks()) {
      for (const mail of reader.push(chunk)) yield found(mail);
    }
    for (const mail of reader.finish()) yield { ...found(mail), position: file.size };
  },
  async *zip(file, quoting) {
    if (file.blob === null)
      throw new UnreadableFileError(
        `${file.path} is skipped: it is a zip file inside another zip file; unpack that one first`,
      );
    for await (const zipped of readZip(file.path, file.blob)) {
      if (isHidden(zipped.name)) continue;
      for await (const found of readMails(zipped, quoting)) yield { ...found, position: zipped.position };
    }
  },
  async *unknown({ path, size }) {
    const problem = `${path} is skipped: it does not look like a mail, and its name does not end in .eml`;
    yield { problem, noMail: path, position: size };
  },
};

/** Such as `.DS_Store`, or `__MACOSX/._mail.eml`, which macOS adds to a zip for `mail.eml`. */
const isHidden = (path: string) => posix.basename(path).startsWith(".");

const isThere = (path: string) => path === "-" || existsSync(path);

/**
 * A path that does not exist is wrong usage, and an unreadable file is an error. In a folder or zip, a file that is
 * not a mail is only a warning.
 */
export async function* mailsIn(
  paths: readonly string[],
  { input, err }: CommandContext,
  choose = (files: readonly MailFile[]) => files,
): AsyncGenerator<FoundMail & { readonly file: MailFile }> {
  const { files, problems } = await findMailFiles(paths, input);
  const [problem] = problems;
  if (problem !== undefined) throw new (paths.every(isThere) ? StartError : UsageError)(problem);
  let count = 0;
  for (const file of choose(files)) {
    for await (const found of readMails(file, "rd")) {
      if ("problem" in found) {
        if (found.noMail === undefined || paths.includes(found.noMail)) throw new StartError(found.problem);
        err(`mailkeep: ${found.problem}\n`);
        continue;
      }
      yield { ...found, file };
      count++;
    }
  }
  if (count === 0) throw new StartError(`there is no mail in ${paths.join(", ")}`);
}
