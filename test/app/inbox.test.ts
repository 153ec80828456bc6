// When a message is announced: at once, and a large one when it is found by all that it says.
import { expect, test } from "bun:test";
import { Inbox } from "../../src/app/index.ts";
import { EventBus } from "../../src/events/index.ts";
import type { InboxEvent, MessageSummary } from "../../src/model/index.ts";
import type { Store } from "../../src/store/index.ts";
import { type Disk, realDisk } from "../../src/store/log/disk.ts";
import { mail, openFiles, openMemory, tempFolder } from "../store/open.ts";

const LARGE = mail("large", `${`${"filler ".repeat(10)}\r\n`.repeat(90_000)}faraway`);

async function openInbox(opening: Promise<Store> = openMemory()) {
  const store = await opening;
  const bus = new EventBus<InboxEvent>(() => {});
  const events: InboxEvent["type"][] = [];
  bus.subscribe((event) => events.push(event.type));
  const inbox = new Inbox(store, bus);
  const receive = (raw: string): Promise<MessageSummary> => {
    const arrival = inbox.receive({ sender: "alice@example.com", recipients: ["bob@example.com"] });
    arrival.append(Buffer.from(raw));
    return arrival.commit();
  };
  /** Of a message that is stored, while its text may not be indexed yet. */
  const firstId = async (): Promise<string> => {
    for (;;) {
      const [id] = await store.walk({});
      if (id !== undefined) return id;
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { store, inbox, bus, events, receive, firstId };
}

test("a large message is announced, and its sender told, when its last word is found", async () => {
  const { store, bus, events, receive } = await openInbox();
  const found = Promise.withResolvers<number>();
  bus.subscribe(() => void store.count({ q: "large faraway" }).then(found.resolve));
  await receive(LARGE);
  expect(await store.count({ q: "large faraway" })).toBe(1);
  expect(await found.promise).toBe(1);
  expect(events).toEqual(["message:new"]);
  await store.close();
});

test("nobody waits for it: a small one that came later is announced before", async () => {
  const { store, bus, receive } = await openInbox();
  const subjects: string[] = [];
  bus.subscribe((event) => event.type === "message:new" && subjects.push(event.data.subject));
  const large = receive(LARGE);
  await receive(mail("small"));
  expect(subjects).toEqual(["small"]);
  await large;
  expect(subjects).toEqual(["small", "large"]);
  await store.close();
});

test.each([
  ["changed", "message:read", (inbox: Inbox, id: string) => inbox.update([id], { is_read: true })],
  ["deleted", "message:delete", (inbox: Inbox, id: string) => inbox.delete([id])],
  ["cleared", "messages:clear", (inbox: Inbox) => inbox.clear()],
] as const)("one that is %s before that is announced first, and once", async (_, type, change) => {
  const { store, inbox, events, receive, firstId } = await openInbox();
  const received = receive(LARGE);
  await change(inbox, await firstId());
  expect(events).toEqual(["message:new", type]);
  await received;
  expect(events).toEqual(["message:new", type]);
  await store.close();
});

test("at the end nobody waits: one that is stored is acknowledged, though the search thread never answers", async () => {
  const idle = URL.createObjectURL(new Blob(["onmessage = () => {};"], { type: "text/javascript" }));
  const { store, inbox, events, receive, firstId } = await openInbox(
    openMemory({ startSearchWorker: () => new Worker(idle) }),
  );
  const received = receive(LARGE);
  await firstId();
  expect(events).toEqual([]);
  inbox.end();
  await received;
  await receive(LARGE);
  expect(events).toEqual(["message:new", "message:new"]);
  await store.close();
});

test("of many that are deleted, those that were gone before the disk failed are told", async () => {
  const folder = tempFolder();
  let writes = Number.POSITIVE_INFINITY;
  const write: Disk["write"] = (...args) => {
    if (writes-- <= 0) throw Object.assign(new Error("no room"), { code: "ENOSPC" });
    return realDisk.write(...args);
  };
  const { store, inbox, events, receive } = await openInbox(
    openFiles(folder.path, { disk: { ...realDisk, write } }),
  );
  await Promise.all(Array.from({ length: 1200 }, (_, n) => receive(mail(`mail ${n}`))));
  events.length = 0;
  writes = 1;
  const failure = await inbox.deleteMatching({}).catch((error) => error.code);
  expect(failure).toBe("disk_full");
  expect(events.length).toBeGreaterThan(0);
  expect(await store.count({})).toBe(1200 - events.length);
  await store.close();
  folder.remove();
});
