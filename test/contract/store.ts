// The contract of a store, run against every implementation. `open` makes a new, empty store.
import { afterEach, describe, expect, test } from "bun:test";
import type { MessageChange, MessageFilter } from "../../src/model/index.ts";
import { type Store, type StoreChange, StoreError } from "../../src/store/index.ts";
import { bytesOf, mail, put, rawOf } from "../store/open.ts";
import { describeInboxes } from "./inboxes.ts";

export interface OpenOptions {
  now?: () => Date;
}

export const WITH_ATTACHMENT =
  "Subject: report\r\nMIME-Version: 1.0\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n" +
  "--b\r\nContent-Type: text/plain\r\n\r\nSee the file.\r\n" +
  '--b\r\nContent-Type: text/csv\r\nContent-Disposition: attachment; filename="a.csv"\r\n\r\n1,2\r\n--b--\r\n';

/** Opens stores for tests, and closes them after each test. */
export function useStores(open: (options?: OpenOptions) => Promise<Store>) {
  const opened: Store[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  return async (options?: OpenOptions) => {
    const store = await open(options);
    opened.push(store);
    return store;
  };
}

export function describeStore(name: string, open: (options?: OpenOptions) => Promise<Store>): void {
  describe(name, () => {
    const fresh = useStores(open);
    const idsOf = async (store: Store, filter: MessageFilter) =>
      (await store.list({ filter, limit: 200 })).messages.map(({ id }) => id);

    test("a committed message is listed whole and read back byte for byte", async () => {
      const store = await fresh({ now: () => new Date("2026-11-14T10:00:00.123Z") });
      const raw = new Uint8Array([...bytesOf(mail("Grüße")), 0, 255, 13, 10, 128]);
      const summary = await put(store, raw, { sender: "", recipients: ["b@x.org", "a@x.org"] });
      expect(summary).toEqual({
        id: summary.id,
        sender: "",
        recipients: ["b@x.org", "a@x.org"],
        subject: "Grüße",
        size: raw.length,
        has_attachments: false,
        is_read: false,
        is_starred: false,
        tags: [],
        created_at: "2026-11-14T10:00:00.123Z",
      });
      expect(await store.get(summary.id)).toEqual(summary);
      expect(await store.list({ filter: {}, limit: 1 })).toEqual({
        messages: [summary],
        total: 1,
        next_cursor: null,
      });
      expect(await rawOf(store, summary.id)).toEqual(raw);
    });

    test("raw bytes are served in half-open ranges, whole and streamed", async () => {
      const store = await fresh();
      const { id } = await put(store, "0123456789");
      const raw = await store.raw(id);
      expect(raw?.size).toBe(10);
      expect(new TextDecoder().decode(await raw?.bytes(2, 5))).toBe("234");
      expect(await new Response(raw?.stream(7)).text()).toBe("789");
      expect(await new Response(raw?.content(3, 6)).text()).toBe("345");
    });

    test("raw of a message that is deleted during the call is the message or null, not an error", async () => {
      const store = await fresh();
      const large = bytesOf(mail("large", "0123456789abcdef\r\n".repeat(120_000)));
      for (let i = 0; i < 5; i++) {
        const { id } = await put(store, large);
        const raw = store.raw(id);
        await store.delete([id]);
        expect([undefined, large.length]).toContain((await raw)?.size);
      }
    });

    test.each([
      ["small", 10_000],
      ["large", 1_000_000],
    ] as const)(
      "a chunk of a %s message belongs to the caller again as soon as append returns",
      async (_, bytes) => {
        const store = await fresh();
        const draft = store.begin({ sender: "a", recipients: ["b"] });
        const chunk = new Uint8Array(1000);
        const pauses: Promise<void>[] = [];
        for (let n = 0; n < bytes / chunk.length; n++) {
          chunk.fill(n % 251);
          pauses.push(Promise.resolve(draft.append(chunk)));
          chunk.fill(255);
        }
        await Promise.all(pauses);
        const { id, size } = await draft.commit();
        expect(size).toBe(bytes);
        const expected = Buffer.alloc(bytes);
        for (let n = 0; n < bytes / chunk.length; n++) expected.fill(n % 251, n * 1000, (n + 1) * 1000);
        expect(expected.equals((await rawOf(store, id)) ?? new Uint8Array())).toBe(true);
      },
    );

    test("a message carries its tags from the first moment", async () => {
      const store = await fresh();
      const heard: StoreChange[] = [];
      store.onChange((change) => heard.push(change));
      const draft = store.begin({ sender: "a", recipients: ["b"] });
      draft.append(bytesOf(mail("tagged")));
      const summary = await draft.commit(["b", "a"]);
      expect(summary.tags).toEqual(["b", "a"]);
      expect(heard).toEqual([{ kind: "added", message: summary, inbox: "default" }]);
      expect(await store.list({ filter: { tags: ["a"] }, limit: 9 })).toMatchObject({ messages: [summary] });
    });

    test("store_bytes counts large messages until they are deleted", async () => {
      const store = await fresh();
      const { id } = await put(store, new Uint8Array(600_000));
      expect((await store.stats()).store_bytes).toBeGreaterThanOrEqual(600_000);
      await store.delete([id]);
      expect((await store.stats()).store_bytes).toBeLessThan(600_000);
    });

    test("the sender of a large message pauses while it arrives, so that its chunks can be freed", async () => {
      const store = await fresh();
      const draft = store.begin({ sender: "a", recipients: ["b"] });
      const chunk = new Uint8Array(100_000);
      let pauses = 0;
      for (let sent = 0; sent < 20; sent++) {
        const paused = draft.append(chunk);
        if (paused) pauses++;
        await paused;
      }
      expect(pauses).toBeGreaterThan(5);
      const { id, size } = await draft.commit();
      expect(size).toBe(2_000_000);
      expect(await rawOf(store, id)).toEqual(new Uint8Array(2_000_000));
    });

    test("an aborted draft leaves nothing, and abort is harmless at any time", async () => {
      const store = await fresh();
      const draft = store.begin({ sender: "a", recipients: ["b"] });
      draft.append(bytesOf("half"));
      draft.abort();
      draft.abort();
      const kept = store.begin({ sender: "a", recipients: ["b"] });
      kept.append(bytesOf("whole"));
      await kept.commit();
      kept.abort();
      expect(await store.count({})).toBe(1);
    });

    test("pages go from newest to oldest, by cursor and by offset", async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let i = 0; i < 7; i++) ids.unshift((await put(store, mail(`m${i}`))).id);
      const first = await store.list({ filter: {}, limit: 3 });
      expect(first.messages.map(({ id }) => id)).toEqual(ids.slice(0, 3));
      expect(first).toMatchObject({ total: 7, next_cursor: ids[2] });
      await put(store, mail("later"));
      const second = await store.list({ filter: {}, limit: 3, before: first.next_cursor ?? "" });
      expect(second.messages.map(({ id }) => id)).toEqual(ids.slice(3, 6));
      const last = await store.list({ filter: {}, limit: 3, before: second.next_cursor ?? "" });
      expect(last).toMatchObject({ total: 8, next_cursor: null });
      expect((await store.list({ filter: {}, limit: 2, offset: 7 })).messages.map(({ id }) => id)).toEqual([
        ids[6] ?? "",
      ]);
      expect((await store.list({ filter: {}, limit: 2, offset: 100 })).messages).toEqual([]);
    });

    test("a cursor that names nothing is refused", async () => {
      const store = await fresh();
      const { id } = await put(store, mail("x"));
      await store.delete([id]);
      for (const before of ["", "nonsense", id]) {
        const error = await store.list({ filter: {}, limit: 1, before }).catch((cause) => cause);
        expect(error).toBeInstanceOf(StoreError);
        expect(error.code).toBe("unknown_cursor");
      }
    });

    test("flags, attachments and tags filter alone and together", async () => {
      const store = await fresh();
      const { id: plain } = await put(store, mail("plain"));
      const { id: report } = await put(store, WITH_ATTACHMENT);
      const { id: both } = await put(store, WITH_ATTACHMENT);
      await store.update([report, plain], { is_starred: true, tags: ["a", "b"] });
      await store.update([both], { is_read: true, tags: ["b"] });
      const cases: [MessageFilter, string[]][] = [
        [{ starred: true }, [report, plain]],
        [{ unread: true }, [report, plain]],
        [{ has_attachments: true }, [both, report]],
        [{ starred: true, unread: true, has_attachments: true }, [report]],
        [{ tags: ["a"] }, [report, plain]],
        [{ tags: ["A"] }, []],
        [{ tags: ["a", "b", "b"] }, [both, report, plain]],
        [{ tags: ["b"], has_attachments: true }, [both, report]],
        [{ tags: ["a", "b"], has_attachments: true, starred: true }, [report]],
        [{ tags: [] }, [both, report, plain]],
        [{ q: "file", tags: ["a"] }, [report]],
        [{ q: "file", unread: true, starred: true }, [report]],
        [{ q: "plain", has_attachments: true }, []],
      ];
      for (const [filter, expected] of cases) {
        expect({ filter, ids: await idsOf(store, filter) }).toEqual({ filter, ids: expected });
        expect({ filter, count: await store.count(filter) }).toEqual({ filter, count: expected.length });
        expect(await store.walk(filter)).toEqual(expected.toReversed());
        expect(await store.matching(filter, [plain, report, both])).toEqual(await store.walk(filter));
      }
      expect(await store.tags()).toEqual([
        { tag: "a", count: 2 },
        { tag: "b", count: 3 },
      ]);
    });

    test("substrings and whole addresses match without regard to case, by Unicode", async () => {
      const store = await fresh();
      const { id } = await put(store, mail("Straße nach ÄRGER"), {
        sender: "Ärzte@Example.com",
        recipients: ['"a"b"@x.org', "Second@Example.org"],
      });
      const hits: MessageFilter[] = [
        { subject: "straße NACH är" },
        { sender: "ÄRZTE@ex" },
        { recipient: "SECOND@" },
        { recipient: 'a"b' },
        { from: "ärzte@example.COM" },
        { to: "second@example.org" },
      ];
      const misses: MessageFilter[] = [
        { subject: "nach%" },
        { sender: "_rzte" },
        { recipient: "org,second" },
        { recipient: '","' },
        { from: "rzte@example.com" },
        { to: "econd@example.org" },
        { to: "b@x.org" },
      ];
      for (const filter of hits)
        expect({ filter, ids: await idsOf(store, filter) }).toEqual({ filter, ids: [id] });
      for (const filter of misses) expect({ filter, n: await store.count(filter) }).toEqual({ filter, n: 0 });
    });

    test("the From and To headers filter by part of a name or an address", async () => {
      const store = await fresh();
      const people =
        "From: =?utf-8?q?J=C3=B6rg?= <JOERG@shop.example>\r\nTo: Ann Lee <ann@example.com>, b@x.org\r\n";
      const { id } = await put(store, mail("people", "x", people));
      await put(store, mail("nobody"));
      const hits: MessageFilter[] = [
        { header_from: "jÖrg" },
        { header_from: "joerg@SHOP" },
        { header_to: "ann lee" },
        { header_to: "B@X.org" },
        { header_from: "jörg", header_to: "ann@", unread: true },
        { header_to: "ann", q: "people" },
      ];
      const misses: MessageFilter[] = [
        { header_from: "ann" },
        { header_to: "bob@example.com" },
        { header_from: "alice@example.com" },
        { header_to: "ann", q: "nobody" },
      ];
      for (const filter of hits)
        expect({ filter, ids: await idsOf(store, filter) }).toEqual({ filter, ids: [id] });
      for (const filter of misses) expect({ filter, n: await store.count(filter) }).toEqual({ filter, n: 0 });
    });

    test("'since' keeps mail that came after a message or an instant", async () => {
      let ms = 1_000_000;
      const store = await fresh({ now: () => new Date(ms) });
      const { id: first } = await put(store, mail("1"));
      ms += 10;
      const { id: second } = await put(store, mail("2"));
      ms -= 5;
      const { id: third } = await put(store, mail("3"));
      expect(await idsOf(store, { since: { id: first } })).toEqual([third, second]);
      expect(await idsOf(store, { since: { time: new Date(1_000_005) } })).toEqual([second]);
      await store.delete([second]);
      expect(await idsOf(store, { since: { id: second } })).toEqual([third]);
    });

    test("ids sort in arrival order within a millisecond and when the clock steps back", async () => {
      let ms = 5000;
      const store = await fresh({ now: () => new Date(ms) });
      const ids: string[] = [];
      for (const step of [0, 0, -3000, 0, 10_000, -1, 0]) {
        ms += step;
        const { id, created_at } = await put(store, mail("x"));
        expect(created_at).toBe(new Date(ms).toISOString());
        ids.push(id);
      }
      expect(ids).toEqual(ids.toSorted());
      expect(new Set(ids).size).toBe(ids.length);
    });

    test("update changes the given fields, leaves the rest, and skips unknown ids", async () => {
      const store = await fresh();
      const summary = await put(store, mail("x"));
      const { id } = summary;
      const update = (ids: string[], change: MessageChange) => store.update(ids, change);
      expect(await update([id, "nothing", id], { is_starred: true })).toEqual([
        { ...summary, is_starred: true },
      ]);
      expect(await update([id], { tags: ["t", "ü"] })).toEqual([
        { ...summary, is_starred: true, tags: ["t", "ü"] },
      ]);
      expect(await update([id], {})).toEqual([{ ...summary, is_starred: true, tags: ["t", "ü"] }]);
      expect(await update([id], { tags: [], is_read: true, is_starred: false })).toEqual([
        { ...summary, is_read: true },
      ]);
      expect(await store.tags()).toEqual([]);
      expect((await store.stats()).unread).toBe(0);
    });

    test("delete returns the ids that existed, and they disappear from lists, counts, searches and raw", async () => {
      const store = await fresh();
      const { id } = await put(store, mail("doomed"));
      const { id: other } = await put(store, mail("spared"));
      expect(await store.delete([id, id, "nothing"])).toEqual([id]);
      expect(await store.get(id)).toBeNull();
      expect(await store.raw(id)).toBeNull();
      expect(await store.count({ q: "doomed" })).toBe(0);
      expect(await idsOf(store, {})).toEqual([other]);
      expect(await store.delete([id])).toEqual([]);
    });

    test("deleteMatching removes what matches, with and without text, oldest first", async () => {
      const store = await fresh();
      const { id: a } = await put(store, mail("alpha one"));
      const { id: b } = await put(store, mail("beta"));
      const { id: c } = await put(store, mail("alpha two"));
      expect(await store.deleteMatching({ q: "alpha" })).toEqual([a, c]);
      expect(await store.deleteMatching({ subject: "BETA" })).toEqual([b]);
      expect(await store.count({})).toBe(0);
    });

    test("clear removes everything and returns the number; later mail is kept", async () => {
      const store = await fresh();
      for (let i = 0; i < 3; i++) await put(store, mail("before"));
      const cleared = store.clear();
      const after = put(store, mail("after"));
      expect(await cleared).toBe(3);
      const { id } = await after;
      expect(await idsOf(store, {})).toEqual([id]);
      expect(await idsOf(store, { q: "before" })).toEqual([]);
      expect(await idsOf(store, { q: "after" })).toEqual([id]);
      expect(await store.clear()).toBe(1);
      expect(await store.clear()).toBe(0);
      expect(await store.stats()).toMatchObject({ messages: 0, unread: 0, message_bytes: 0 });
    });

    test("listeners get every change in the order of the calls", async () => {
      const store = await fresh();
      const heard: string[] = [];
      store.onChange(({ kind }) => heard.push(kind));
      const { id } = await put(store, mail("0"));
      await Promise.all([
        put(store, mail("1")),
        store.update([id], { is_read: true }),
        store.delete([id]),
        put(store, mail("2")),
        store.clear(),
        put(store, mail("3")),
      ]);
      expect(heard).toEqual(["added", "added", "changed", "deleted", "added", "cleared", "added"]);
      expect(await store.count({})).toBe(1);
    });

    test("events say what changed", async () => {
      const store = await fresh();
      const { id: a } = await put(store, mail("a"));
      const { id: b } = await put(store, mail("b"));
      const heard: StoreChange[] = [];
      store.onChange((change) => heard.push(change));
      const changed = await store.update([b, a, "nothing"], { is_read: true, tags: ["t"] });
      await store.delete(["nothing", b]);
      await store.clear();
      expect(heard).toEqual([
        {
          kind: "changed",
          fields: ["is_read", "tags"],
          messages: changed,
          inboxes: ["default", "default"],
        },
        { kind: "deleted", ids: [b], inboxes: ["default"] },
        { kind: "cleared", count: 1 },
      ]);
      expect(changed.map(({ id }) => id)).toEqual([b, a]);
    });

    test("settings are found by the beginning of their keys, and outlive a clear", async () => {
      const store = await fresh();
      const heard: StoreChange[] = [];
      store.onChange((change) => heard.push(change));
      await store.set("inbox/b", { n: 1 });
      await store.set("inbox/a", "ä");
      await store.set("inboxes", true);
      await store.set("inbox/b", { n: 2 });
      await store.set("token/x", 1);
      await store.set("token/x", null);
      await put(store, mail("gone"));
      await store.clear();
      expect(await store.settings("inbox/")).toEqual([
        { key: "inbox/a", value: "ä" },
        { key: "inbox/b", value: { n: 2 } },
      ]);
      expect((await store.settings("")).map(({ key }) => key)).toEqual(["inbox/a", "inbox/b", "inboxes"]);
      expect(heard[0]).toEqual({ kind: "setting", key: "inbox/b", value: { n: 1 } });
      expect(heard[5]).toEqual({ kind: "setting", key: "token/x", value: null });
    });

    test("refused changes and changes without effect send no event", async () => {
      const store = await fresh();
      const { id } = await put(store, mail("x"));
      const heard: StoreChange[] = [];
      store.onChange((change) => heard.push(change));
      const draft = store.begin({ sender: "a", recipients: ["b"] });
      draft.abort();
      await store.update([id], {});
      await store.update(["nothing"], { is_read: true });
      await store.delete(["nothing"]);
      await store.deleteMatching({ subject: "nothing" });
      expect([await draft.commit().catch(({ code }) => code), heard]).toEqual(["closed", []]);
    });

    test("a listener gets a change before the caller gets the answer", async () => {
      const store = await fresh();
      const order: string[] = [];
      store.onChange(({ kind }) => order.push(kind));
      await put(store, mail("x")).then(() => order.push("answered"));
      await store.update(["nothing"], { is_read: true }).then(() => order.push("nothing changed"));
      await store.clear().then(() => order.push("answered"));
      expect(order).toEqual(["added", "answered", "nothing changed", "cleared", "answered"]);
    });

    test("oldest lists the oldest messages, without starred ones if they are to be kept", async () => {
      let ms = 1_000_000;
      const store = await fresh({ now: () => new Date(ms) });
      const ids: string[] = [];
      for (let i = 0; i < 4; i++) {
        ids.push((await put(store, mail(`${i}`))).id);
        ms += 1000;
      }
      await store.update([ids[0] ?? ""], { is_starred: true });
      const offered = async (query: Parameters<Store["oldest"]>[0]) =>
        (await store.oldest(query)).map(({ id }) => id);
      expect(await offered({ keepStarred: false, limit: 2 })).toEqual(ids.slice(0, 2));
      expect(await offered({ keepStarred: true, limit: 2 })).toEqual(ids.slice(1, 3));
      expect(await offered({ keepStarred: true, limit: 9, before: new Date(1_002_000) })).toEqual(
        ids.slice(1, 2),
      );
    });

    test("oldest finds mail that arrived before a time", async () => {
      let ms = 1_000_000;
      const store = await fresh({ now: () => new Date(ms) });
      const offered = async (before: number) =>
        (await store.oldest({ keepStarred: true, limit: 9, before: new Date(before) })).map(({ id }) => id);
      const { id: first } = await put(store, mail("first"));
      ms = 1_001_000;
      const { id: second } = await put(store, mail("second"));
      ms = 1_002_000;
      await put(store, mail("third"));
      expect(await offered(1_001_000)).toEqual([first]);
      expect(await offered(1_001_001)).toEqual([first, second]);
    });

    describeInboxes(fresh);

    test("a closed store refuses work, and can be closed twice", async () => {
      const store = await fresh();
      const pending = put(store, mail("on its way"));
      const late = store.begin({ sender: "a", recipients: ["b"] });
      await store.close();
      await store.close();
      expect((await pending).subject).toBe("on its way");
      expect(await late.commit().catch(({ code }) => code)).toBe("closed");
      const error = await store.list({ filter: {}, limit: 1 }).catch((cause) => cause);
      expect(error.code).toBe("closed");
    });
  });
}
