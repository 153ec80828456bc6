// What becomes of the received bytes on their way into the mailbox.
import { expect, test } from "bun:test";
import { silentLogger } from "../../src/lib/logger.ts";
import { Delivery, type DeliveryOutcome } from "../../src/smtp/delivery.ts";
import { RecordingMailbox } from "./recording-mailbox.ts";

const ENVELOPE = { sender: "a@x.org", recipients: ["b@x.org"], body: "8BITMIME" as const };

function start(onAppend: () => void | Promise<void>) {
  const mailbox = new RecordingMailbox();
  mailbox.onAppend = onAppend;
  const delivery = new Delivery(mailbox, silentLogger, "127.0.0.1");
  delivery.begin(ENVELOPE);
  return { mailbox, delivery };
}

const committed = (delivery: Delivery) => new Promise<DeliveryOutcome>((resolve) => delivery.commit(resolve));

test("what many clients sent at once lay in memory until the next garbage collection", async () => {
  const pauses = [undefined, Promise.resolve()];
  const { mailbox, delivery } = start(() => pauses.shift());
  const first = Buffer.allocUnsafeSlow(5000).fill("a");
  const second = Buffer.allocUnsafeSlow(5000).fill("b");
  expect(delivery.append(first)).toBe(null);
  expect(first.length).toBe(5000);
  await delivery.append(second);
  expect([first.length, second.length]).toEqual([0, 0]);
  expect(await committed(delivery)).toHaveProperty("id");
  expect(mailbox.mails[0]?.raw.toString()).toBe("a".repeat(5000) + "b".repeat(5000));
});

test("small pieces of a message that was given up do not turn up in the next", async () => {
  const { mailbox, delivery } = start(() => {});
  for (const byte of "gone") delivery.append(Buffer.from(byte));
  delivery.abort();
  delivery.begin(ENVELOPE);
  for (const byte of "kept") delivery.append(Buffer.from(byte));
  await committed(delivery);
  expect(mailbox.mails.map(({ raw }) => raw.toString())).toEqual(["kept"]);
});

test("bytes beside which a client has sent something else stay", async () => {
  const { delivery } = start(() => Promise.resolve());
  const received = Buffer.allocUnsafeSlow(5000).fill("a");
  await delivery.append(received.subarray(0, 990));
  expect(received.length).toBe(5000);
});

test("bytes that the mailbox may still refer to stay", async () => {
  const { delivery } = start(() => {});
  const received = Buffer.allocUnsafeSlow(5000).fill("a");
  delivery.append(received);
  await committed(delivery);
  expect(received.length).toBe(5000);
});
