// What a file holds is told by its name or place, where these say that it is one mail, and else by how it begins.
import { MAILHOG_START } from "./mailhog.ts";
import { SEPARATOR } from "./mbox-reader.ts";

export type MailFormat = "mail" | "mbox" | "mailhog" | "zip" | "unknown";

/** As much of a file as the decisions here need. */
export const START_BYTES = 512;

const MAIL_START = /^(?:From |[!-9;-~]+[ \t]*:)/;
const ZIP_START = /^PK(?:\x03\x04|\x05\x06)/;
/** An .eml file or one in a Maildir: as it is, even if it is empty or begins like something else. */
const MAIL_PATH = /\.eml$|(?:^|[/\\])(?:cur|new)[/\\][^/\\]+$/i;

export function formatOf(path: string, start: string): MailFormat {
  if (MAIL_PATH.test(path)) return "mail";
  // A mail without a header may begin with "From ", too: an mbox has the time of delivery there.
  if (SEPARATOR.test(start)) return "mbox";
  if (MAILHOG_START.test(start)) return "mailhog";
  if (MAIL_START.test(start)) return "mail";
  if (ZIP_START.test(start)) return "zip";
  return start === "" ? "mbox" : "unknown";
}
