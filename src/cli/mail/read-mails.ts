// Reads the mails of a file one after the other. The content or the file's name tells the format.
import { existsSync } from "node:fs";
import { posix } from "node:path";
import { SERVE_SETTINGS, UsageError } from "../../config/index.ts";
import { formatSize } from "../../lib/numbers.ts";
import { type CommandContext, StartError } from "../command/command.ts";
import { findMailFiles, type MailFile, startOf, UnreadableFileError } from "./mail-files.ts";
import { FIRST_SEPARATOR, type MboxMail, type MboxQuoting, MboxReader } from "./mbox-reader.ts";
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

export interface ReadOptions {
  readonly quoting: MboxQuoting;
  /** The largest mail that is unpacked from a zip: a small file may unpack to gigabytes. */
  readonly maxUnpackedBytes: number;
  readonly isInZip?: boolean;
}

const tooLarge = (name: string, { maxUnpackedBytes }: ReadOptions) =>
  `${name} is skipped: it is larger than ${formatSize(maxUnpackedBytes)}, the limit for mails in a zip`;

/** Keeps about one mail in memory, however large the file. */
export async function* readMails(file: MailFile, options: ReadOptions): Found {
  try {
    yield* READERS[await formatOf(file)](file, options);
  } catch (error) {
    if (!(error instanceof UnreadableFileError)) throw error;
    yield { problem: error.message, position: file.size };
  }
}

const READERS: Readonly<Record<MailFormat, (file: MailFile, options: ReadOptions) => Found>> = {
  async *mail(file, options) {
    yield { name: file.path, bytes: await wholeOf(file, options), position: file.size };
  },
  async *mbox(file, options) {
    const { quoting, maxUnpackedBytes } = options;
    const reader = new MboxReader(quoting, options.isInZip ? maxUnpackedBytes : undefined);
    let position = 0;
    let number = 0;
    const found = (bytes: MboxMail) => {
      const name = `${file.path}, mail ${++number}`;
      position += bytes?.length ?? 0;
      return bytes === null ? { problem: tooLarge(name, options), position } : { name, bytes, position };
    };
    for await (const chunk of file.chunks()) {
      for (const mail of reader.push(chunk)) yield found(mail);
    }
    for (const mail of reader.finish()) yield { ...found(mail), position: file.size };
  },
  async *zip(file, options) {
    if (file.blob === null)
      throw new UnreadableFileError(`${file.path} is skipped: it is a zip file in another; unpack it first`);
    for await (const zipped of readZip(file.path, file.blob)) {
      if (isHidden(zipped.name)) continue;
      const inside = readMails(zipped, { ...options, isInZip: true });
      for await (const found of inside) yield { ...found, position: zipped.position };
    }
  },
  async *unknown({ path, size }) {
    const problem = `${path} is skipped: it does not begin like a mail, and its name does not end in .eml`;
    yield { problem, noMail: path, position: size };
  },
};

/** Such as `.DS_Store`, or `__MACOSX/._mail.eml`, which macOS adds to a zip for `mail.eml`. */
const isHidden = (path: string) => posix.basename(path).startsWith(".");

async function wholeOf(file: MailFile, options: ReadOptions): Promise<Buffer> {
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of file.chunks()) {
    size += chunk.length;
    if (options.isInZip && size > options.maxUnpackedBytes)
      throw new UnreadableFileError(tooLarge(file.path, options));
    chunks.push(chunk);
  }
  return Buffer.concat(chunks);
}

const READING = { quoting: "rd", maxUnpackedBytes: SERVE_SETTINGS.maxMessageSize.default } as const;

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
    for await (const found of readMails(file, READING)) {
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
