// The contract of a view of some inboxes: it shows no mail of others. Part of the contract of a store.
import { describe, expect, test } from "bun:test";
import type { MessageFilter } from "../../src/model/index.ts";
import type { MailView, Store, StoreChange } from "../../src/store/index.ts";
import { mail, put } from "../store/open.ts";

export function describeInboxes(fresh: () => Promise<Store>): void {
  describe("inboxes", () => {
    /** Stores three mails in each of two inboxes and in the default one. */
    const filled = async () => {
      const store = await fresh();
      const ids: Record<string, string> = {};
      for (const n of [1, 2, 3])
        for (const inbox of ["shop", "blog", undefined]) {
          const subject = `${inbox ?? "default"} ${n}`;
          const { id } = await put(store, mail(subject, "an invoice"), inbox ? { inbox } : {});
          ids[subject] = id;
        }
      const idOf = (subject: string) => ids[subject] ?? "";
      const starred = ["shop 1", "blog 1", "default 1"].map(idOf);
      await store.update(starred, { is_starred: true, is_read: true, tags: ["common"] });
      await store.update([idOf("blog 2")], { tags: ["blog-only"] });
      return { store, shop: store.within(["shop"]), idOf };
    };
    const subjects = async (view: MailView, filter: MessageFilter = {}) =>
      (await view.list({ filter, limit: 50 })).messages.map(({ subject }) => subject);

    const FOUND: [MessageFilter, string[]][] = [
      [{}, ["shop 3", "shop 2", "shop 1"]],
      [{ unread: true }, ["shop 3", "shop 2"]],
      [{ starred: true }, ["shop 1"]],
      [{ tags: ["common", "blog-only"] }, ["shop 1"]],
      [{ tags: ["blog-only"] }, []],
      [{ subject: "2" }, ["shop 2"]],
      [{ q: "invoice" }, ["shop 3", "shop 2", "shop 1"]],
      [{ q: "invoice", unread: true }, ["shop 3", "shop 2"]],
      [{ q: "invoice is:starred" }, ["shop 1"]],
      [{ q: "-invoice" }, []],
      [{ q: "-blog" }, ["shop 3", "shop 2", "shop 1"]],
      [{ q: "(invoice is:starred) OR subject:3" }, ["shop 3", "shop 1"]],
      [{ q: "is:read OR larger:1" }, ["shop 3", "shop 2", "shop 1"]],
      [{ q: "blog OR tag:blog-only" }, []],
    ];
    test("no filter finds mail of another inbox", async () => {
      const { store, shop } = await filled();
      const all = await store.walk({});
      for (const [filter, expected] of FOUND) {
        expect([filter, await subjects(shop, filter)]).toEqual([filter, expected]);
        expect(await shop.list({ filter, limit: 1 })).toMatchObject({ total: expected.length });
        expect(await shop.count(filter)).toBe(expected.length);
        expect(await shop.walk(filter)).toHaveLength(expected.length);
        expect(await shop.matching(filter, all)).toEqual(await shop.walk(filter));
      }
    });

    test("a message, a cursor, tags and counts of another inbox are unknown", async () => {
      const { store, shop, idOf } = await filled();
      expect([await shop.get(idOf("blog 1")), await shop.raw(idOf("blog 1"))]).toEqual([null, null]);
      expect(await shop.get(idOf("shop 1"))).toMatchObject({ subject: "shop 1" });
      const cursor = shop.list({ filter: {}, limit: 1, before: idOf("blog 3") });
      expect(await cursor.catch(({ code }) => code)).toBe("unknown_cursor");
      expect(await shop.tags()).toEqual([{ tag: "common", count: 1 }]);
      expect(await store.tags()).toEqual([
        { tag: "blog-only", count: 1 },
        { tag: "common", count: 3 },
      ]);
      const { messages, unread, message_bytes, store_bytes } = await shop.stats();
      expect({ messages, unread }).toEqual({ messages: 3, unread: 2 });
      expect(store_bytes).toBe(message_bytes);
      expect([...(await store.inboxes())].sort()).toMatchObject([
        ["blog", { messages: 3, unread: 2 }],
        ["default", { messages: 3, unread: 2 }],
        ["shop", { messages: 3, unread: 2 }],
      ]);
      const oldest = await shop.oldest({ keepStarred: true, limit: 9 });
      expect(oldest.map(({ id }) => id)).toEqual([idOf("shop 2"), idOf("shop 3")]);
    });

    test("several inboxes are seen together; an empty list of inboxes shows nothing", async () => {
      const { store } = await filled();
      const two = store.within(["shop", "blog"]);
      expect(await subjects(two, { q: "2 OR is:starred" })).toEqual(["blog 2", "shop 2", "blog 1", "shop 1"]);
      expect(await two.count({ unread: true })).toBe(4);
      for (const filter of [{}, { unread: true } as const, { q: "invoice" }, { tags: ["common"] }])
        expect(await store.within([]).list({ filter, limit: 9 })).toMatchObject({ messages: [], total: 0 });
      expect(await store.within(["nothing"]).stats()).toMatchObject({ messages: 0, unread: 0 });
    });

    test("mail of another inbox is not changed, deleted or cleared", async () => {
      const { store, shop, idOf } = await filled();
      const ids = [idOf("blog 1"), idOf("shop 2")];
      expect(await shop.update(ids, { is_read: true })).toMatchObject([{ subject: "shop 2" }]);
      expect(await shop.delete(ids)).toEqual([idOf("shop 2")]);
      expect(await shop.deleteMatching({ subject: "1" })).toEqual([idOf("shop 1")]);
      expect(await store.count({})).toBe(7);
      expect(await shop.clear()).toBe(1);
      expect((await store.inboxes()).has("shop")).toBe(false);
      expect(await subjects(store, { q: "invoice" })).toHaveLength(6);
      expect(await store.clear()).toBe(6);
      expect((await store.inboxes()).size).toBe(0);
    });

    test("a view gets only changes of its own mail, and sees a clear of its inbox as a clear", async () => {
      const { store, shop, idOf } = await filled();
      const heard: Record<string, StoreChange[]> = { all: [], shop: [], blog: [], both: [] };
      const listen = (name: string, view: MailView) => view.onChange((change) => heard[name]?.push(change));
      listen("all", store);
      const stop = listen("shop", shop);
      listen("blog", store.within(["blog"]));
      listen("both", store.within(["blog", "shop"]));
      await put(store, mail("shop 4"), { inbox: "shop" });
      await store.update([idOf("blog 1"), idOf("shop 1")], { is_read: false });
      await store.delete([idOf("default 1"), idOf("shop 1")]);
      await shop.clear();
      const kinds = (name: string) => heard[name]?.map(({ kind }) => kind);
      expect(kinds("all")).toEqual(["added", "changed", "deleted", "deleted"]);
      expect(kinds("shop")).toEqual(["added", "changed", "deleted", "cleared"]);
      expect(kinds("blog")).toEqual(["changed"]);
      expect(kinds("both")).toEqual(["added", "changed", "deleted", "deleted"]);
      expect(heard.shop).toMatchObject([
        { message: { subject: "shop 4" } },
        { messages: [{ subject: "shop 1" }] },
        { ids: [idOf("shop 1")] },
        { count: 3 },
      ]);
      stop();
      await shop.clear();
      expect(heard.shop).toHaveLength(4);
    });

    test("clearing an inbox removes all of its many mails", async () => {
      const store = await fresh();
      await put(store, mail("other"));
      await Promise.all(Array.from({ length: 1100 }, (_, n) => put(store, mail(`${n}`), { inbox: "shop" })));
      const heard: StoreChange["kind"][] = [];
      const shop = store.within(["shop"]);
      shop.onChange(({ kind }) => heard.push(kind));
      expect(await shop.clear()).toBe(1100);
      expect([await store.count({}), heard.at(-1)]).toEqual([1, "cleared"]);
    });
  });
}
