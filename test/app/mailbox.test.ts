// Every change of the mailbox is reported as an event, in the order of the changes, before the caller gets an answer.
import { expect, test } from "bun:test";
import { logStored, Mailbox, onEvent } from "../../src/app/index.ts";
import { createLogger } from "../../src/lib/logger.ts";
import type { InboxEvent, MessageSummary } from "../../src/model/index.ts";
import type { Store } from "../../src/store/index.ts";
import { faultyDisk } from "../store/faulty-disk.ts";
import { mail, openFiles, openMemory } from "../store/open.ts";
import { searchInProcess } from "../store/search-in-process.ts";
import { useFolders } from "../support/folders.ts";
import { NO_INBOXES, NO_TAGGING } from "../support/plain-mailbox.ts";

const freshFolder = useFolders();
const quickSearch = () => ({ startSearchWorker: searchInProcess().start });

async function openInbox(opening: Promise<Store> = openMemory(quickSearch())) {
  const store = await opening;
  const events: InboxEvent[] = [];
  onEvent(store, (event) => events.push(event));
  const inbox = new Mailbox({ store, inboxes: NO_INBOXES, tagging: NO_TAGGING });
  const receive = (raw: string): Promise<MessageSummary> => {
    const arrival = inbox.receive({ sender: "alice@example.com", recipients: ["bob@example.com"] });
    arrival.append(Buffer.from(raw));
    return arrival.commit();
  };
  return { store, events, receive };
}

test("each change is an event of its kind for each message, sent before the answer", async () => {
  const { store, events, receive } = await openInbox();
  const message = await receive(mail("first"));
  const { id } = message;
  expect(events.splice(0)).toEqual([{ type: "message:new", data: message }]);
  await store.update([id], { is_read: true, is_starred: true, tags: ["t"] });
  expect(events.splice(0)).toEqual([
    { type: "message:read", data: { id, is_read: true } },
    { type: "message:starred", data: { id, is_starred: true } },
    { type: "message:tags", data: { id, tags: ["t"] } },
  ]);
  const other = (await receive(mail("second"))).id;
  events.splice(0);
  await store.deleteMatching({ subject: "first" });
  await store.delete([other, id]);
  await store.clear();
  expect(events).toEqual([
    { type: "message:delete", data: { id } },
    { type: "message:delete", data: { id: other } },
    { type: "messages:clear" },
  ]);
  await store.close();
});

test("messages of all sizes that come at once are announced in the order of the list", async () => {
  const { store, events, receive } = await openInbox(
    openFiles(freshFolder(), { ...quickSearch(), largeBytes: 10_000 }),
  );
  const bodies = Array.from({ length: 40 }, (_, n) => "words ".repeat(n % 3 === 0 ? 20_000 : 10));
  await Promise.all(bodies.map((body) => receive(mail("subject", body))));
  const announced = events.map((event) => (event.type === "message:new" ? event.data.id : event.type));
  expect(announced).toEqual(await store.walk({}));
  await store.close();
});

test("if the disk fails during many deletions, those that were done are reported", async () => {
  const faulty = faultyDisk();
  const { store, events, receive } = await openInbox(
    openFiles(freshFolder(), { ...quickSearch(), disk: faulty.disk }),
  );
  await Promise.all(Array.from({ length: 1200 }, (_, n) => receive(mail(`mail ${n}`))));
  events.length = 0;
  store.onChange(() => {
    faulty.fails = { at: "write", code: "EIO" };
  });
  expect(await store.deleteMatching({}).catch((error) => error.code)).toBe("disk_failing");
  expect(events.length).toBeGreaterThan(0);
  expect(await store.count({})).toBe(1200 - events.length);
  await store.close();
});

test("a listener that fails stops neither the change nor the other listeners", async () => {
  const { store, events, receive } = await openInbox();
  store.onChange(() => {
    throw new Error("a bug");
  });
  onEvent(store, (event) => events.push(event));
  const data = await receive(mail("stored"));
  expect(events).toEqual([
    { type: "message:new", data },
    { type: "message:new", data },
  ]);
  await store.close();
});

test("the log line of a mail has at most 100 characters of its subject", () => {
  const lines: string[] = [];
  const write = (line: string) => lines.push(line);
  const logger = createLogger({ level: "info", format: "json", write, now: () => new Date(0) });
  const stored = { id: "1", sender: "a@x.test", recipients: ["b@x.test"], subject: "s".repeat(101), size: 1 };
  logStored(logger, stored, "127.0.0.1");
  expect(JSON.parse(lines[0] ?? "").subject).toBe("s".repeat(100));
});
