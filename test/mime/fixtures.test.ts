// Whole mails as real programs send them: everything that Mailkeep reads from each.
import { afterAll, describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import {
  createBodyParser,
  findLinks,
  listAttachments,
  readHeaders,
  readPreview,
  readStructure,
  startScan,
} from "../../src/mime/index.ts";

const parser = createBodyParser({
  startWorker: () => new Worker(new URL("../../src/worker/parse-worker.ts", import.meta.url).href),
  timeoutMs: 10_000,
  maxBytes: 1024 * 1024,
});
afterAll(() => parser.close());

async function readMail(name: string) {
  const raw = readFileSync(new URL(`../fixtures/mail/${name}`, import.meta.url));
  const structure = readStructure(raw);
  const scan = startScan();
  scan.push(raw);
  const source = { size: raw.length, bytes: async (start: number, end: number) => raw.subarray(start, end) };
  return {
    raw,
    ...scan.finish(),
    ...(await parser.parse(source, structure)),
    attachments: listAttachments("01JCMZ5T0GQ3V4W5X6Y7Z8A9BC", structure).map(
      ({ attachment, contentId }) => ({
        filename: attachment.filename,
        type: attachment.content_type,
        size: attachment.size,
        ...(contentId === undefined ? {} : { contentId }),
      }),
    ),
  };
}

interface Expected {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
  readonly attachments: { filename: string; type: string; size: number; contentId?: string }[];
}

const MAILS: Record<string, Expected> = {
  "plain.eml": {
    subject: "Lunch",
    text: "Shall we have lunch at the new place near the station? They have Käsespätzle.\n\n-- \nAnn\n",
    html: "",
    attachments: [],
  },
  "invitation.eml": {
    subject: "Invitation: planning",
    text: "Planning on Monday at ten.",
    html: "<p>Planning on <b>Monday</b> at ten.</p>",
    attachments: [
      { filename: "attachment-1.ics", type: "text/calendar", size: 46 },
      { filename: "invite.ics", type: "application/ics", size: 30 },
    ],
  },
  "forwarded.eml": {
    subject: "Fwd: the original",
    text: "See below.",
    html: "",
    attachments: [{ filename: "attachment-1.eml", type: "message/rfc822", size: 305 }],
  },
  "bounce.eml": {
    subject: "Undelivered Mail Returned to Sender",
    text: "Your message could not be delivered to nobody@example.org.",
    html: "",
    attachments: [
      { filename: "attachment-1.txt", type: "message/delivery-status", size: 112 },
      { filename: "attachment-2.eml", type: "message/rfc822", size: 45 },
    ],
  },
  "japanese.eml": {
    subject: "見積書",
    text: "見積書をお送りします。",
    html: "",
    attachments: [{ filename: "見積書.pdf", type: "application/pdf", size: 5 }],
  },
};

describe("the mail", () => {
  for (const [name, { subject, text, html, attachments }] of Object.entries(MAILS)) {
    test(name, async () => {
      const mail = await readMail(name);
      expect(mail.subject).toBe(subject);
      expect(mail.text_body).toBe(text);
      expect(mail.html_body).toBe(html);
      expect(mail.attachments).toEqual(attachments);
      expect(mail.has_attachments).toBe(attachments.length > 0);
    });
  }
});

test("a newsletter is read from its header to its last link", async () => {
  const mail = await readMail("newsletter.eml");
  expect(mail.subject).toBe("🌱 Herbst im Garten: alles fürs Beet");
  expect(mail.attachments).toEqual([
    { filename: "logo.png", type: "image/png", size: 71, contentId: "logo@example.com" },
  ]);
  expect(mail.html_body).toContain('<img src="cid:logo@example.com" alt="Grünfeld">');
  expect(readPreview(mail.raw)).toEqual({
    from_name: "Grünfeld Garten",
    from_address: "news@example.com",
    snippet:
      "Hallo Ann, jetzt ist die beste Zeit für Tulpen: https://example.com/tulpen?utm=mail Abmelden: https://example.com/u/ann",
    run: "",
  });
  const links = findLinks({ html: mail.html_body, text: mail.text_body, headers: readHeaders(mail.raw) });
  expect(links.map(({ url, where, rel }) => [url, where, rel])).toEqual([
    ["https://example.com/tulpen?utm=mail", "html", []],
    ["https://example.com/u/ann", "html", ["unsubscribe", "one-click"]],
    ["mailto:leave@example.com?subject=leave", "headers", ["unsubscribe"]],
  ]);
  const { found: auth } = await parser.readAuthResults(mail.raw);
  expect([auth.dkim, auth.spf, auth.dmarc].map((list) => list.map(({ status }) => status))).toEqual([
    ["pass", "info"],
    ["pass"],
    ["pass"],
  ]);
});
