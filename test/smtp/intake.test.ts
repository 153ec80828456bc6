// Received bytes on their way into the mailbox.
import { expect, test } from "bun:test";
import { silentLogger } from "../../src/lib/logger.ts";
import { Intake, type IntakeOutcome } from "../../src/smtp/intake.ts";
import { RecordingMailbox } from "./recording-mailbox.ts";

const ENVELOPE = { sender: "a@x.org", recipients: ["b@x.org"], body: "8BITMIME" as const };

function start(onAppend: () => void | Promise<void>) {
  const mailbox = new RecordingMailbox();
  mailbox.onAppend = onAppend;
  const intake = new Intake(mailbox, silentLogger, "127.0.0.1");
  intake.begin(ENVELOPE);
  return { mailbox, intake };
}

const committed = (intake: Intake) => new Promise<IntakeOutcome>((resolve) => intake.commit(resolve));

test("the bytes of a mail are freed without waiting for the garbage collection", async () => {
  const pauses = [undefined, Promise.resolve()];
  const { mailbox, intake } = start(() => pauses.shift());
  const first = Buffer.allocUnsafeSlow(5000).fill("a");
  const second = Buffer.allocUnsafeSlow(5000).fill("b");
  expect(intake.append(first)).toBe(null);
  expect(first.length).toBe(5000);
  await intake.append(second);
  expect([first.length, second.length]).toEqual([0, 0]);
  expect(await committed(intake)).toHaveProperty("id");
  expect(mailbox.mails[0]?.raw.toString()).toBe("a".repeat(5000) + "b".repeat(5000));
});

test("small pieces of a message that was given up do not turn up in the next", async () => {
  const { mailbox, intake } = start(() => {});
  for (const byte of "gone") intake.append(Buffer.from(byte));
  intake.abort();
  intake.begin(ENVELOPE);
  for (const byte of "kept") intake.append(Buffer.from(byte));
  await committed(intake);
  expect(mailbox.mails.map(({ raw }) => raw.toString())).toEqual(["kept"]);
});

test("bytes of a buffer that also holds other input stay", async () => {
  const { intake } = start(() => Promise.resolve());
  const received = Buffer.allocUnsafeSlow(5000).fill("a");
  await intake.append(received.subarray(0, 990));
  expect(received.length).toBe(5000);
});

test("bytes of a message that never paused are left to the garbage collector", async () => {
  const { intake } = start(() => {});
  const received = Buffer.allocUnsafeSlow(5000).fill("a");
  intake.append(received);
  await committed(intake);
  expect(received.length).toBe(5000);
});
