// Golden mails: snapshots in files, and how mails differ from them.
import { structuredPatch } from "diff";
import { type Inbox, snapshotOf } from "../../client/index.ts";
import { type Kind, under, type Values } from "../../config/index.ts";
import { type BodyParser, decodePart, digestOf, listAttachments, readStructure } from "../../mime/index.ts";
import type { CommandContext } from "../command/command.ts";
import type { MailFile } from "../mail/mail-files.ts";
import { mailsIn } from "../mail/read-mails.ts";
import { openBodyParser } from "../server/bundle.ts";
import { FILTER_SETTINGS, filterOf, matchingMails } from "./settings.ts";

export const SNAPSHOT_ENDING = ".mail.txt";

const pattern: Kind<RegExp> = {
  placeholder: "regex",
  accepts: "a regular expression, such as 'Order \\d+'",
  parse: (text) => {
    try {
      return text === "" ? undefined : new RegExp(text, "g");
    } catch {
      return undefined;
    }
  },
};

export const MASK_SETTING = under("Comparison", { flagOnly: true }).list(
  pattern,
  "Also mask text that matches this; dates, times, codes, ids and tokens are always masked",
);

export const GOLDEN_SETTINGS = { mask: MASK_SETTING, ...FILTER_SETTINGS };

export async function snapshotsOf(
  inbox: Inbox,
  { mask, ...filters }: Values<typeof GOLDEN_SETTINGS>,
  context: CommandContext,
): Promise<string[]> {
  const mails = matchingMails(inbox, filterOf(filters, context));
  return Array.fromAsync(mails, (mail) => mail.snapshot({ mask }));
}

/** Returns the snapshots in snapshot files, and a new snapshot of each mail in mail files. */
export async function snapshotsIn(
  paths: readonly string[],
  mask: readonly RegExp[],
  context: CommandContext,
): Promise<string[]> {
  const bodyParser = openBodyParser();
  try {
    const snapshots: string[] = [];
    for await (const { name, bytes } of mailsIn(paths, context, snapshotsFirst))
      snapshots.push(
        name.endsWith(SNAPSHOT_ENDING)
          ? maskAgain(new TextDecoder().decode(bytes), mask)
          : await snapshotOfMail(bytes, mask, bodyParser),
      );
    return snapshots;
  } finally {
    bodyParser.close();
  }
}

/** If there are snapshots, other files, such as a README, are ignored. */
function snapshotsFirst(files: readonly MailFile[]): readonly MailFile[] {
  const snapshots = files.filter(({ path }) => path.endsWith(SNAPSHOT_ENDING));
  return snapshots.length > 0 ? snapshots : files;
}

/**
 * Masks a stored snapshot, which may have been written without `mask`. Git may have changed its
 * line ends.
 */
const maskAgain = (text: string, mask: readonly RegExp[]) =>
  mask.reduce((masked, one) => masked.replace(one, "<masked>"), text.replaceAll("\r\n", "\n"));

const NO_ID = "0".repeat(26);

async function snapshotOfMail(
  bytes: Uint8Array,
  mask: readonly RegExp[],
  bodyParser: BodyParser,
): Promise<string> {
  const structure = readStructure(bytes);
  const source = { bytes: async (start: number, end: number) => bytes.subarray(start, end) };
  const { html_body: html, text_body: text, text_is_derived } = await bodyParser.parse(source, structure);
  const { found: headers } = await bodyParser.readHeaders(bytes);
  const subject = headers.find(({ name }) => name.toLowerCase() === "subject")?.value ?? "";
  const written = { subject, html, text: text_is_derived ? "" : text };
  const { found: codes } = await bodyParser.findCodes(written);
  const parts = listAttachments(NO_ID, structure).map(async ({ attachment, part }) => {
    const content = new Blob([new Uint8Array(bytes.subarray(part.start, part.end))]).stream();
    return { ...attachment, sha256: await digestOf(decodePart(part.encoding, content), "sha256") };
  });
  const attachments = await Promise.all(parts);
  return snapshotOf({ headers, html, text, codes, attachments }, { mask });
}

export const subjectOf = (snapshot: string): string => /^Subject: (.*)$/m.exec(snapshot)?.[1] ?? "";

export interface Comparison {
  readonly status: "same" | "changed" | "new" | "gone";
  readonly subject: string;
  /** The index in `actual`; null if the mail is gone. */
  readonly place: number | null;
  /** Lines with "-", "+" or a space before them; "@@" begins another hunk. */
  readonly lines: readonly string[];
}

/**
 * Pairs equal mails first, then the most similar ones, unless they differ too much. An equal subject
 * counts most.
 */
export function compare(expected: readonly string[], actual: readonly string[]): Comparison[] {
  const places = new Set(actual.keys());
  const takeEqual = (snapshot: string) => {
    const place = [...places].find((one) => actual[one] === snapshot);
    if (place !== undefined) places.delete(place);
    return place;
  };
  const compared: Comparison[] = [];
  const others: string[] = [];
  for (const snapshot of expected) {
    const place = takeEqual(snapshot);
    if (place === undefined) others.push(snapshot);
    else compared.push({ status: "same", subject: subjectOf(snapshot), place, lines: [] });
  }
  const candidates = [...places].map((place) => ({ place, lines: tellingLines(actual[place] ?? "") }));
  const pairs = others
    .map(tellingLines)
    .flatMap((told, at) =>
      candidates.map(({ place, lines }) => ({ at, place, likeness: likeness(told, lines) })),
    )
    .filter(({ likeness }) => likeness >= LEAST_LIKENESS)
    .sort((left, right) => right.likeness - left.likeness);
  const chosen = new Map<number, number>();
  for (const { at, place } of pairs) if (!chosen.has(at) && places.delete(place)) chosen.set(at, place);
  for (const [at, snapshot] of others.entries()) {
    const place = chosen.get(at) ?? null;
    const now = place === null ? snapshot : (actual[place] ?? "");
    const status = place === null ? "gone" : "changed";
    const lines = place === null ? [] : changedLines(snapshot, now);
    compared.push({ status, subject: subjectOf(now), place, lines });
  }
  for (const place of places)
    compared.push({ status: "new", subject: subjectOf(actual[place] ?? ""), place, lines: [] });
  return compared;
}

const LEAST_LIKENESS = 0.5;

/** Lines that distinguish mails. HTML tags do not: mails of one template share them. */
const tellingLines = (snapshot: string) =>
  new Set(snapshot.split("\n").filter((line) => !/^(?:---.*|<[^>]*>)?$/.test(line)));

function likeness(lines: ReadonlySet<string>, others: ReadonlySet<string>): number {
  const shared = lines.intersection(others);
  const isSameSubject = [...shared].some((line) => line.startsWith("Subject: "));
  return shared.size / Math.max(lines.size, others.size) + (isSameSubject ? 1 : 0);
}

const CONTEXT_LINES = 2;
/** Without a limit, comparing entirely different texts would take minutes. */
const TIMEOUT_MS = 2000;

function changedLines(before: string, now: string): string[] {
  const patch = structuredPatch("", "", before, now, "", "", { context: CONTEXT_LINES, timeout: TIMEOUT_MS });
  return patch
    ? patch.hunks.flatMap(({ lines }, at) => (at === 0 ? lines : ["@@", ...lines]))
    : ["@@ too many differences to show"];
}

const COUNTED = ["same", "changed", "new", "gone"] as const;

/** "3 same, 1 changed" */
export const countsOf = (compared: readonly Comparison[]): string =>
  COUNTED.map((status) => [compared.filter((one) => one.status === status).length, status] as const)
    .filter(([count]) => count > 0)
    .map(([count, status]) => `${count} ${status}`)
    .join(", ");
