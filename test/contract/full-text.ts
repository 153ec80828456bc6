// The contract of full-text search. It works the same with every kind of log, so it is tested only
// with a search worker in the same thread and with one in its own thread.
import { describe, expect, test } from "bun:test";
import type { MessageFilter } from "../../src/model/index.ts";
import type { Store } from "../../src/store/index.ts";
import { mail, put } from "../store/open.ts";
import { type OpenOptions, useStores, WITH_ATTACHMENT } from "./store.ts";

export function describeFullText(name: string, open: (options?: OpenOptions) => Promise<Store>): void {
  describe(`full text in a ${name}`, () => {
    const fresh = useStores(open);
    const MAILS: Record<string, string> = {
      invoice: mail("Invoice 4711 for Zoë", "Please pay café latte, naïve résumé."),
      html:
        "Subject: news\r\nContent-Type: text/html; charset=utf-8\r\n\r\n" +
        "<style>p{color:hotpink}</style><script>var tracker=1</script><p>Buy <b>now</b>, dear&nbsp;friend &amp; co</p>\r\n",
      report: WITH_ATTACHMENT,
    };
    const cases: [string, string[]][] = [
      ["invoice", ["invoice"]],
      ["INV", ["invoice"]],
      ["inv 47", ["invoice"]],
      ["inv nothing", []],
      ["zoe", ["invoice"]],
      ["ZOË", ["invoice"]],
      ["cafe", ["invoice"]],
      ["resume naive", ["invoice"]],
      ['"café latte"', ["invoice"]],
      ['"latte cafe"', []],
      ['"caf latte"', []],
      ['"cafe lat', ["invoice"]],
      ["buy friend co", ["html"]],
      ['"buy now"', ["html"]],
      ["hotpink", []],
      ["tracker", []],
      ["alice@example.com", ["report", "html", "invoice"]],
      ["alice@exam", ["report", "html", "invoice"]],
      ["example@alice", []],
      ["bob@example.com", ["report", "html", "invoice"]],
      ["file", ["report"]],
      ["", ["report", "html", "invoice"]],
      ["   ", ["report", "html", "invoice"]],
      ["...", []],
      ['""', []],
      ['"', []],
      ["*", []],
      ["invoice AND OR NOT", []],
      ["invoice*", ["invoice"]],
      ["-invoice", ["report", "html"]],
      ["subject:invoice", ["invoice"]],
      ["(invoice", ["invoice"]],
      ["invoice !!!", ["invoice"]],
      ["in\u0000voice", []],
      ["\u0000", []],
      ["😀", []],
      ["'; DROP TABLE mail; --", []],
      ["NEAR(a b)", []],
      ["invoice -NEAR(a b)", ["invoice"]],
      ["{subject}: x", []],
      [`${"word ".repeat(3000)}`, []],
    ];
    test("finds by prefix words and phrases, and nothing typed is an error", async () => {
      const store = await fresh();
      const names = new Map<string, string>();
      for (const [key, raw] of Object.entries(MAILS)) names.set((await put(store, raw)).id, key);
      for (const [q, expected] of cases) {
        const page = await store.list({ filter: { q }, limit: 50 });
        const found = page.messages.map(({ id }) => names.get(id));
        expect({ q, found, total: page.total }).toEqual({
          q,
          found: expected,
          total: expected.length,
        } as never);
      }
    });

    describe("operators", () => {
      const RICH = [
        "From: Shöp Team <hello@shop.example>",
        'To: "Ann, the First" <ann@example.com>',
        "Cc: Carol <carol@example.com>",
        "Reply-To: Support <help@shop.example>",
        "Message-ID: <abc.123@mailer.example>",
        "X-Run: build-42",
        "X-Campaign: =?utf-8?q?Fr=C3=BChling?= sale",
        "Received: from relay.example by mx.example",
        "Date: Sat, 14 Nov 2026 10:00:00 +0000",
      ].join("\r\n");
      /** A store with four mails. The one with the subject "old" arrived ten days before the others. */
      const filled = async () => {
        let ms = Date.parse("2026-11-04T10:00:00Z");
        const store = await fresh({ now: () => new Date(ms) });
        await put(store, mail("old", "about invoices"), { sender: "old@example.net" });
        ms = Date.parse("2026-11-14T10:00:00Z");
        const rich = await put(store, mail("rich", `pay this invoice ${"x".repeat(3000)}`, `${RICH}\r\n`), {
          sender: "bounce@mailer.example",
          recipients: ["ann@example.com", "carol@example.com", "blind@example.com"],
        });
        const report = await put(store, WITH_ATTACHMENT);
        await put(store, mail("plain", "nothing to pay"));
        await store.update([rich.id], { is_read: true, tags: ["Big", "two words"] });
        await store.update([report.id], { is_starred: true, tags: ["Big"] });
        return store;
      };
      /** Groups nested as deep as allowed, each with an alternative and a negation. */
      const nested = (word: string, other: string) => `${`zzz OR ${other} -xyz (`.repeat(8)}${word}`;
      const OPERATORS: [string, string[]][] = [
        ["from:bounce@mailer.example", ["rich"]],
        ["from:hello@shop", ["rich"]],
        ["from:shop", ["rich"]],
        ["FROM:Team", ["rich"]],
        ["to:blind", ["rich"]],
        ["to:first", ["rich"]],
        ["to:carol@example.com", ["rich"]],
        ["cc:carol", ["rich"]],
        ["cc:blind@example.com", ["rich"]],
        ["cc:ann", []],
        ["bcc:blind@example.com", ["rich"]],
        ["bcc:carol", []],
        ["reply-to:help@shop.example", ["rich"]],
        ["subject:rich", ["rich"]],
        ["subject:invoice", []],
        ["body:invoice", ["rich", "old"]],
        ['body:"this invoice"', ["rich"]],
        ['body:"invoice this"', []],
        ["filename:a.csv", ["report"]],
        ["filename:csv", ["report"]],
        ["message-id:<abc.123@mailer.example>", ["rich"]],
        ["header:x-run=build-42", ["rich"]],
        ["header:X-Run=42", ["rich"]],
        ["header:x-run=4", ["rich"]],
        ['header:x-run="4"', []],
        ["header:x-run=sale", []],
        ['header:x-campaign="fruhling sale"', ["rich"]],
        ['header:"x-campaign=FRÜHLING sale"', ["rich"]],
        ["header:x-run", ["rich"]],
        ["-header:x-run", ["plain", "report", "old"]],
        ["header:received=relay.example", ["rich"]],
        ["header:subject=rich", ["rich"]],
        ["header:x-nothing=1", []],
        ["tag:Big", ["report", "rich"]],
        ["tag:big", []],
        ['tag:"two words"', ["rich"]],
        ["tag:Big tag:none", []],
        ["-tag:Big", ["plain", "old"]],
        ["is:unread", ["plain", "report", "old"]],
        ["is:read", ["rich"]],
        ["-is:unread", ["rich"]],
        ["is:starred", ["report"]],
        ["is:tagged", ["report", "rich"]],
        ["-is:tagged", ["plain", "old"]],
        ["has:attachment", ["report"]],
        ["-has:attachment", ["plain", "rich", "old"]],
        ["before:2026-11-14", ["old"]],
        ["before:2026-11-14T10:00:00Z", ["old"]],
        ["after:2026-11-14T10:00:00Z", ["plain", "report", "rich"]],
        ["after:2026-11-14", ["plain", "report", "rich"]],
        ["-after:2026-11-14", ["old"]],
        ["before:2d", ["old"]],
        ["after:2d", ["plain", "report", "rich"]],
        ["after:11d before:9d", ["old"]],
        ["larger:3KB", ["rich"]],
        ["smaller:3000", ["plain", "report", "old"]],
        ["frühling", ["rich"]],
        ["build-42", ["rich"]],
        ['"build 42"', ["rich"]],
        ["a.csv", ["report"]],
        ["relay", []],
        ["invoice -old", ["rich"]],
        ["pay -invoice", ["plain"]],
        ['pay -"to pay"', ["rich"]],
        ["old OR plain", ["plain", "old"]],
        ["old or plain", []],
        ["(old OR plain) pay", ["plain"]],
        ["old OR plain pay", ["plain", "old"]],
        ["-(old OR plain)", ["report", "rich"]],
        ["-(pay -invoice)", ["report", "rich", "old"]],
        ["from:(old OR team)", ["rich", "old"]],
        ["from:old OR has:attachment", ["report", "old"]],
        ["(invoice OR is:starred) tag:Big", ["report", "rich"]],
        ["(invoice is:read) OR (is:starred larger:1) OR subject:plain", ["plain", "report", "rich"]],
        ["-(invoice OR is:starred)", ["plain"]],
        ["invoice is:read larger:3KB", ["rich"]],
        ["-invoice -is:starred", ["plain"]],
        ["invoice form:team", []],
        ["before:yesterday", []],
        ["(", []],
        ["-", []],
        ["-()", []],
        ["OR", []],
        ["from:", []],
        ["((((pay", ["plain", "rich"]],
        ["pay))))", ["plain", "rich"]],
        [`pay ${"(".repeat(5000)}`, []],
        ["is:read ".repeat(2000), ["rich"]],
        [nested("pay", "-is:starred"), ["plain", "rich"]],
        [nested("pay", "-zzz"), ["plain", "rich"]],
        [nested("-is:read", "pay"), ["plain"]],
        [nested("is:read", "-is:starred"), ["rich"]],
        [Array.from({ length: 60 }, (_, n) => `larger:${n}`).join(" OR "), []],
      ];
      test("find the right mails, alone and combined", async () => {
        const store = await filled();
        const all = await store.walk({});
        for (const [q, expected] of OPERATORS) {
          const page = await store.list({ filter: { q }, limit: 50 });
          const found = page.messages.map(({ subject }) => subject);
          const { total, next_cursor } = page;
          expect({ q, found, total, next_cursor }).toEqual({
            q,
            found: expected,
            total: expected.length,
            next_cursor: null,
          });
          expect([q, await store.count({ q })]).toEqual([q, expected.length]);
          const walked = await store.walk({ q });
          expect([q, walked.length]).toEqual([q, expected.length]);
          expect([q, await store.matching({ q }, all)]).toEqual([q, walked]);
        }
      });

      test("combine with the other filters, and page by cursor", async () => {
        const store = await filled();
        const q = "invoice OR has:attachment OR subject:plain";
        const first = await store.list({ filter: { q, unread: true }, limit: 2 });
        expect(first.messages.map(({ subject }) => subject)).toEqual(["plain", "report"]);
        const next = await store.list({
          filter: { q, unread: true },
          limit: 2,
          before: first.next_cursor ?? "",
        });
        expect(next.messages.map(({ subject }) => subject)).toEqual(["old"]);
        expect(await store.count({ q: "tag:Big", tags: ["two words"] })).toBe(1);
        expect(await store.deleteMatching({ q: "-(invoice OR is:starred)" })).toHaveLength(1);
        expect(await store.count({})).toBe(3);
      });
    });

    test("pages of a search go on by cursor and offset, with the total of all", async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let i = 0; i < 5; i++) ids.unshift((await put(store, mail(`needle ${i}`))).id);
      await put(store, mail("hay"));
      const first = await store.list({ filter: { q: "need" }, limit: 2 });
      expect(first.messages.map(({ id }) => id)).toEqual(ids.slice(0, 2));
      expect(first).toMatchObject({ total: 5, next_cursor: ids[1] });
      const next = await store.list({ filter: { q: "need" }, limit: 2, before: ids[1] ?? "" });
      expect(next.messages.map(({ id }) => id)).toEqual(ids.slice(2, 4));
      const rest = await store.list({ filter: { q: "need" }, limit: 2, offset: 4 });
      expect(rest.messages.map(({ id }) => id)).toEqual(ids.slice(4));
      expect(rest.next_cursor).toBeNull();
      const filtered = await store.list({
        filter: { q: "need", unread: true },
        limit: 2,
        before: ids[1] ?? "",
      });
      expect(filtered.messages.map(({ id }) => id)).toEqual(ids.slice(2, 4));
      expect(filtered.total).toBe(5);
    });

    test("if a whole page is deleted during the search, the page shows the mails that follow", async () => {
      const store = await fresh();
      const ids: string[] = [];
      for (let i = 0; i < 60; i++) ids.unshift((await put(store, mail(`needle ${i}`))).id);
      const filters: MessageFilter[] = [{ q: "needle" }, { q: "needle", unread: true }];
      for (const filter of filters) {
        for (let i = 0; i < 10; i++) {
          const page = store.list({ filter, limit: 1 });
          const newest = ids.shift() ?? "";
          await store.delete([newest]);
          const { messages, next_cursor } = await page;
          const shown = messages[0]?.id ?? "none";
          expect([newest, ids[0]]).toContain(shown);
          expect(next_cursor).toBe(shown);
          const walk = store.walk(filter, { limit: 1 });
          const oldest = ids.pop() ?? "";
          await store.delete([oldest]);
          expect([[oldest], [ids.at(-1)]]).toContainEqual(await walk);
        }
      }
    });

    test("once the text index is open, what matches is told as it was at the time of the question", async () => {
      const store = await fresh();
      await store.indexed();
      const { id } = await put(store, mail("needle"));
      const filters = ["needle", "needle is:unread", "hay OR (needle is:unread)", "-hay", "is:unread", "hay"];
      const asked = filters.map((q) => store.matching({ q }, [id, "unknown"]));
      await Promise.all([store.update([id], { is_read: true }), store.delete([id])]);
      expect(await Promise.all(asked)).toEqual([[id], [id], [id], [id], [id], []]);
    });

    test("a message is found from the moment its commit has resolved", async () => {
      const store = await fresh();
      for (let i = 0; i < 30; i++) {
        await put(store, mail(`unique${i}x`));
        expect(await store.count({ q: `unique${i}x` })).toBe(1);
      }
    });
  });
}
