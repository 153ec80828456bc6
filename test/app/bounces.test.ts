// Mail to bounce+5.1.1@… comes back as a notification that other programs understand.
import { expect, test } from "bun:test";
import { simpleParser } from "mailparser";
import { withBounces } from "../../src/app/index.ts";
import type { Envelope } from "../../src/lib/smtp.ts";
import { RecordingMailbox } from "../smtp/recording-mailbox.ts";
import { collectingLogger } from "../support/collecting-logger.ts";
import { NO_INBOXES } from "../support/plain-mailbox.ts";

const MAIL = "Subject: Grüße\r\nMessage-ID: <1@app.example>\r\n\r\nHello\r\n";

type Asked = Pick<Envelope, "notify">;

async function deliver(sender: string, recipients: readonly string[], asked: Asked = {}) {
  const mailbox = new RecordingMailbox();
  const { logger, lines } = collectingLogger("info");
  const options = { inboxes: NO_INBOXES, serverName: "mailkeep", now: () => new Date(0), logger };
  const draft = withBounces(mailbox, options).receive({ sender, recipients, ...asked });
  draft.append(Buffer.from(MAIL));
  await draft.commit();
  return { mails: mailbox.mails, lines };
}

test("the sender gets a delivery status notification for each recipient that bounces", async () => {
  const recipients = ["bounce+5.1.1@d.example", "ok@d.example", "bounce+4.4.7@d.example"];
  const { mails, lines } = await deliver("app@example.com", recipients);
  const [mail, bounce, ...more] = mails;
  expect(lines).toMatchObject([
    { event: "fault on purpose", rule: "fault-addresses", status: "5.1.1 4.4.7" },
  ]);
  expect(mail?.raw.toString()).toBe(MAIL);
  expect(more).toEqual([]);
  expect(bounce).toMatchObject({ sender: "", recipients: ["app@example.com"] });
  const parsed = await simpleParser(bounce?.raw ?? "", { keepDeliveryStatus: true });
  expect(parsed.headers.get("content-type")).toMatchObject({
    value: "multipart/report",
    params: { "report-type": "delivery-status" },
  });
  expect(parsed.headers.get("auto-submitted")).toBe("auto-replied");
  expect(parsed.text).toContain("<bounce+5.1.1@d.example>: 550 5.1.1 Bounced on purpose");
  const [status, original] = parsed.attachments;
  expect(status?.contentType).toBe("message/delivery-status");
  const [reporter, first, second] = (status?.content.toString() ?? "").split(/\r?\n\r?\n/);
  expect(reporter).toStartWith("Reporting-MTA: dns; mailkeep");
  expect(first?.split(/\r?\n/)).toEqual([
    "Final-Recipient: rfc822; bounce+5.1.1@d.example",
    "Action: failed",
    "Status: 5.1.1",
    "Diagnostic-Code: smtp; 550 5.1.1 Bounced on purpose",
  ]);
  expect(second).toContain("Action: delayed");
  expect(original?.contentType).toBe("text/rfc822-headers");
  expect(original?.content.toString()).toContain("Subject: Grüße\r\nMessage-ID: <1@app.example>");
});

test.each([
  ["bounce+5.1.1@d.example", "Undelivered Mail Returned to Sender", "bounced", "message/delivery-status"],
  ["bounce+4.4.7@d.example", "Delayed Mail (still being retried)", "delayed", "message/delivery-status"],
  ["bounce+5.1.1@dö.example", "Undelivered Mail", "bounced", "message/global-delivery-status"],
])("the notification of %s says %s", async (recipient, subject, word, type) => {
  const { mails } = await deliver("app@example.com", [recipient]);
  const text = mails[1]?.raw.toString() ?? "";
  expect(text).toContain(`\r\nSubject: ${subject}`);
  expect(text).toContain(`accepted and then ${word} on purpose`);
  expect(text).toContain(`\r\nContent-Type: ${type}\r\n`);
  const [header] = text.split("\r\n\r\n");
  expect(header).toContain("Content-Transfer-Encoding: 8bit");
});

test("mail of the null sender and mail to other recipients does not bounce", async () => {
  expect((await deliver("", ["bounce+5.1.1@d.example"])).mails.length).toBe(1);
  expect((await deliver("app@example.com", ["ann@d.example"])).mails.length).toBe(1);
});

test.each([
  ["5.1.1", "NEVER", 1],
  ["5.1.1", "SUCCESS,DELAY", 1],
  ["5.1.1", "success,failure", 2],
  ["4.4.7", "FAILURE", 1],
  ["4.4.7", "DELAY", 2],
])("mail that bounces with %s comes back only if NOTIFY=%s asks for it", async (status, notify, mails) => {
  const recipient = `bounce+${status}@d.example`;
  const asked = { notify: new Map([[recipient, notify]]) };
  expect((await deliver("app@example.com", [recipient], asked)).mails.length).toBe(mails);
});
