// When a message is announced: at once and in order; its sender hears of it when it is found by all that it says.
import { expect, test } from "bun:test";
import { Inbox } from "../../src/app/index.ts";
import { EventBus } from "../../src/events/index.ts";
import type { InboxEvent, MessageSummary } from "../../src/model/index.ts";
import type { Store } from "../../src/store/index.ts";
import { type Disk, realDisk } from "../../src/store/log/disk.ts";
import { mail, openFiles, openMemory } from "../store/open.ts";
import { useFolders } from "../support/folders.ts";

const freshFolder = useFolders();
const LARGE = mail("large", `${`${"filler ".repeat(10)}\r\n`.repeat(90_000)}faraway`);

async function openInbox(opening: Promise<Store> = openMemory()) {
  const store = await opening;
  const bus = new EventBus<InboxEvent>(() => {});
  const events: InboxEvent["type"][] = [];
  bus.subscribe((event) => events.push(event.type));
  const searchable = new EventBus<MessageSummary>(() => {});
  const inbox = new Inbox({ store, bus, searchable });
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
  return { store, inbox, bus, searchable, events, receive, firstId };
}

test("the sender of a large message is told when its last word is found, and who watches for words", async () => {
  const { store, searchable, events, receive } = await openInbox();
  const found: Promise<number>[] = [];
  searchable.subscribe(() => found.push(store.count({ q: "large faraway" })));
  await receive(LARGE);
  expect(await store.count({ q: "large faraway" })).toBe(1);
  expect(await Promise.all(found)).toEqual([1]);
  expect(events).toEqual(["message:new"]);
  await store.close();
});

test("large messages were announced after smaller ones that came later: events are in the order of the list", async () => {
  const { store, bus, receive } = await openInbox();
  const announced: string[] = [];
  bus.subscribe((event) => event.type === "message:new" && announced.push(event.data.id));
  const bodies = Array.from({ length: 40 }, (_, n) => "words ".repeat(n % 3 === 0 ? 20_000 : 10));
  await Promise.all(bodies.map((body) => receive(mail("subject", body))));
  expect(announced).toEqual(await store.walk({}));
  await store.close();
});

test("at the end nobody waits: one that is stored is acknowledged, though the search thread never answers", async () => {
  const idle = URL.createObjectURL(new Blob(["onmessage = () => {};"], { type: "text/javascript" }));
  const { store, inbox, events, receive, firstId } = await openInbox(
    openMemory({ startSearchWorker: () => new Worker(idle) }),
  );
  const received = receive(LARGE);
  await firstId();
  inbox.end();
  await received;
  await receive(LARGE);
  expect(events).toEqual(["message:new", "message:new"]);
  await store.close();
});

test("of many that are deleted, those that were gone before the disk failed are told", async () => {
  let writes = Number.POSITIVE_INFINITY;
  const write: Disk["write"] = (...args) => {
    if (writes-- <= 0) throw Object.assign(new Error("no room"), { code: "ENOSPC" });
    return realDisk.write(...args);
  };
  const { store, inbox, events, receive } = await openInbox(
    openFiles(freshFolder(), { disk: { ...realDisk, write } }),
  );
  await Promise.all(Array.from({ length: 1200 }, (_, n) => receive(mail(`mail ${n}`))));
  events.length = 0;
  writes = 1;
  const failure = await inbox.deleteMatching({}).catch((error) => error.code);
  expect(failure).toBe("disk_full");
  expect(events.length).toBeGreaterThan(0);
  expect(await store.count({})).toBe(1200 - events.length);
  await store.close();
});
