// What a file holds: an .eml file and one in a Maildir are one mail, as it is, even if it is empty; others are told by
// how they begin.
import { MAILHOG_START } from "./mailhog.ts";
import { FIRST_SEPARATOR } from "./mbox-reader.ts";

export type MailFormat = "mail" | "mbox" | "mailhog" | "zip" | "unknown";

/** As much of a file as the decisions here need. */
export const START_BYTES = 512;

const MAIL_START = /^(?:From |(?:\xef\xbb\xbf)?[!-9;-~]+[ \t]*:)/;
const ZIP_START = /^PK(?:\x03\x04|\x05\x06)/;
const EML_PATH = /\.eml$/i;
/** In a Maildir, where a mail need not have a header: the name begins with a number, mostly the time in seconds. */
const MAILDIR_PATH = /(?:^|[/\\])(?:cur|new)[/\\]\d+\.[^/\\]+$/;
const TIMED_PATH = /(?:^|[/\\])(?:cur|new)[/\\]\d{9,}\.[^/\\]+$/;

export function formatOf(path: string, start: string): MailFormat {
  if (EML_PATH.test(path) || TIMED_PATH.test(path)) return "mail";
  // A mail without a header may begin with "From ", too: an mbox has the time of delivery there.
  if (FIRST_SEPARATOR.test(start)) return "mbox";
  if (MAILHOG_START.test(start)) return "mailhog";
  if (ZIP_START.test(start)) return "zip";
  if (MAIL_START.test(start) || MAILDIR_PATH.test(path)) return "mail";
  return start === "" ? "mbox" : "unknown";
}
