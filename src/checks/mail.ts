// A mail as the checks see it: plain data that can be sent to a worker.
import {
  type BodyParser,
  type Field,
  leavesOf,
  type MimePart,
  type MimeStructure,
  type ParsedBodies,
  readAddresses,
  readStructure,
  readSubject,
} from "../mime/index.ts";
import type { DnsSource } from "./dns.ts";

interface CheckedPart extends Pick<MimePart, "type" | "size" | "contentId"> {
  /** The file name, or the type if there is no name. */
  readonly name: string;
}

export interface CheckedMail {
  /** Values are not decoded: one character is one octet. */
  readonly fields: readonly Field[];
  readonly subject: string;
  /** The `html_body` of the API. Lines and columns of findings refer to it. */
  readonly html: string;
  /** The text as the sender wrote it; empty if all or some of it was made from HTML. */
  readonly text: string;
  readonly parts: readonly CheckedPart[];
  /** The reverse-path. */
  readonly sender: string;
}

export interface RawMail {
  readonly size: number;
  bytes(start: number, end: number): Promise<Uint8Array>;
}

export interface SpamEngines {
  /** `host:port` or `host` of spamd. */
  readonly spamassassin: string | undefined;
  /** URL of Rspamd. */
  readonly rspamd: string | undefined;
}

export interface CheckInput {
  readonly mail: CheckedMail;
  /** The bytes of the mail, up to a limit; empty for checks that do not use them. */
  readonly raw: Uint8Array;
  readonly clients: readonly string[];
  /** Local hosts that a link may lead to. */
  readonly allow: readonly string[];
  readonly fetchesLinks: boolean;
  readonly dns: DnsSource;
  /** The spam check runs only if there is at least one. */
  readonly engines: SpamEngines;
}

export interface MailToCheck {
  readonly mail: CheckedMail;
  readonly raw: RawMail;
}

export function checkedMail(structure: MimeStructure, bodies: ParsedBodies, sender: string): CheckedMail {
  const { fields } = structure.root;
  return {
    fields,
    subject: readSubject(fields),
    html: bodies.html_body,
    text: bodies.has_text_part && !bodies.text_is_derived ? bodies.text_body : "",
    parts: leavesOf(structure).map(({ filename, type, size, contentId }) => ({
      name: filename || type,
      type,
      size,
      contentId,
    })),
    sender,
  };
}

/** The values of all fields with this lower-case name. */
export const valuesOf = (fields: readonly Field[], name: string): string[] =>
  fields.filter(({ key }) => key === name).map(({ value }) => value);

/** For a mail that is not stored. Its reverse-path is taken from Return-Path, or else from From. */
export async function readMail(bytes: Uint8Array, bodyParser: BodyParser): Promise<MailToCheck> {
  const raw = {
    size: bytes.length,
    bytes: async (start: number, end: number) => bytes.subarray(start, end),
  };
  const structure = readStructure(bytes);
  const { fields } = structure.root;
  const [author = ""] = [...valuesOf(fields, "return-path"), ...valuesOf(fields, "from")];
  const sender = readAddresses(author, 1)[0]?.address ?? "";
  return { mail: checkedMail(structure, await bodyParser.parse(raw, structure), sender), raw };
}
