// A mail as MailHog keeps it: lines of its own for the envelope, an empty line, then the mail.
import type { Envelope } from "../../smtp-client/index.ts";

export const MAILHOG_START = /^HELO:<[^\n]*>\r\nFROM:</;

const HEAD_END = "\r\n\r\n";

export function splitMailHog(file: Buffer): { readonly envelope: Envelope; readonly bytes: Buffer } {
  const found = file.indexOf(HEAD_END);
  const end = found === -1 ? file.length : found;
  const head = file.toString("utf8", 0, end);
  const [sender = ""] = valuesOf("FROM", head);
  return {
    envelope: { sender, recipients: valuesOf("TO", head) },
    bytes: file.subarray(end + HEAD_END.length),
  };
}

const valuesOf = (name: string, head: string): string[] =>
  head
    .split("\r\n")
    .filter((line) => line.startsWith(`${name}:<`) && line.endsWith(">"))
    .map((line) => line.slice(name.length + 2, -1));
