// A correct mail for the checks, in which a test changes one thing.
import { checkedMail } from "../../../src/checks/index.ts";
import { createBodyParser, readStructure } from "../../../src/mime/index.ts";
import type { Check } from "../../../src/model/index.ts";

const GOOD_FIELDS: Readonly<Record<string, string>> = {
  From: "Shop <shop@example.com>",
  To: "ann@example.com",
  Subject: "Your order",
  Date: "Tue, 17 Nov 2026 10:00:00 +0000",
  "Message-ID": "<1@example.com>",
  "MIME-Version": "1.0",
};

export interface MailOptions {
  /** Null removes a field. */
  readonly fields?: Readonly<Record<string, string | null>>;
  readonly html?: string;
  /** Null for no text part. */
  readonly text?: string | null;
  /** Further parts, with their headers. */
  readonly parts?: readonly string[];
}

export function mailSource({
  fields = {},
  html,
  text = "Thank you for your order.",
  parts = [],
}: MailOptions): string {
  const written = Object.entries({ ...GOOD_FIELDS, ...fields }).flatMap(([name, value]) =>
    value === null ? [] : [`${name}: ${value}`],
  );
  const bodies = [
    ...(text === null ? [] : [`Content-Type: text/plain; charset=utf-8\r\n\r\n${text}`]),
    ...(html === undefined ? [] : [`Content-Type: text/html; charset=utf-8\r\n\r\n${html}`]),
  ];
  const alternative = bodies.length > 1 ? [multipart("alternative", bodies)] : bodies;
  const whole =
    parts.length > 0 ? multipart("mixed", [...alternative, ...parts]) : (alternative[0] ?? "\r\n");
  return [...written, whole].join("\r\n");
}

const multipart = (kind: string, parts: readonly string[]) =>
  [
    `Content-Type: multipart/${kind}; boundary="${kind}"`,
    "",
    ...parts.flatMap((part) => [`--${kind}`, part]),
    `--${kind}--`,
    "",
  ].join("\r\n");

export async function inputFor(options: MailOptions) {
  const raw = new TextEncoder().encode(mailSource(options));
  const structure = readStructure(raw);
  const parser = createBodyParser({
    startWorker: () => new Worker(new URL("../../../src/worker/parse-worker.ts", import.meta.url).href),
    timeoutMs: 10_000,
    maxBytes: 8 * 1024 ** 2,
  });
  const source = { bytes: async (start: number, end: number) => raw.subarray(start, end) };
  const mail = checkedMail(structure, await parser.parse(source, structure), "shop@example.com");
  parser.close();
  return { mail, raw, clients: [] as string[], allow: [] as string[], fetchesLinks: false };
}

/** Each finding as its rule and, if known, its place: `image-alt 1:1`, `from-missing From`. */
export const told = ({ findings }: Check): string[] =>
  findings.map(({ rule, where }) =>
    where === null
      ? rule
      : `${rule} ${"line" in where ? `${where.line}:${where.column}` : Object.values(where)[0]}`,
  );
