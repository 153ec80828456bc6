// Several nodes on one PostgreSQL: every node knows what any node has acknowledged.
import { afterEach, expect, test } from "bun:test";
import { SQL } from "bun";
import type { Store, StoreChange } from "../../../src/store/index.ts";
import { useFolders } from "../../support/folders.ts";
import { describeWithPostgres } from "../../support/postgres.ts";
import { until } from "../../support/until.ts";
import { codeOf, mail, openNode, put, rawOf, subjectsOf } from "../open.ts";
import { searchInProcess } from "../search-in-process.ts";

const freshFolder = useFolders();

describeWithPostgres("several nodes", (postgres) => {
  const opened: Store[] = [];
  afterEach(async () => {
    for (const store of opened.splice(0)) await store.close();
  });
  const join = async (url: string, options: Parameters<typeof openNode>[2] = {}, dir = freshFolder()) => {
    const store = await openNode(url, dir, { startSearchWorker: searchInProcess().start, ...options });
    opened.push(store);
    return store;
  };
  const two = async (options: Parameters<typeof openNode>[2] = {}): Promise<[Store, Store]> => {
    const url = await postgres().createDatabase();
    return Promise.all([join(url), join(url, options)]);
  };

  test("nodes that start together on an empty database make its tables once", async () => {
    const url = await postgres().createDatabase();
    const nodes = await Promise.all([join(url), join(url), join(url)]);
    await Promise.all(nodes.map((node, n) => put(node, mail(`${n}`))));
    for (const node of nodes) expect((await subjectsOf(node)).sort()).toEqual(["0", "1", "2"]);
  });

  test("every request to any node after an acknowledgement sees its effect", async () => {
    const [one, other] = await two();
    for (let n = 0; n < 20; n++) {
      const { id } = await put(one, mail(`word${n}`));
      expect((await other.get(id))?.subject).toBe(`word${n}`);
      expect(await other.count({ q: `word${n}` })).toBe(1);
      expect(await rawOf(other, id)).toEqual(await rawOf(one, id));
      await other.update([id], { is_read: true });
      expect((await one.get(id))?.is_read).toBe(true);
      if (n % 2 === 0) await one.delete([id]);
      expect((await other.stats()).messages).toBe(Math.floor((n + 1) / 2));
    }
    expect(await other.clear()).toBe(10);
    expect(await one.list({ filter: {}, limit: 5 })).toMatchObject({ messages: [], total: 0 });
  });

  test("every node gets every change in the same order, and ids grow even if clocks differ", async () => {
    const behind = () => new Date(Date.now() - 3_600_000);
    const [one, other] = await two({ now: behind });
    const heard: [StoreChange[], StoreChange[]] = [[], []];
    one.onChange((change) => heard[0].push(change));
    other.onChange((change) => heard[1].push(change));
    await Promise.all(
      [one, other].map(async (node, which) => {
        for (let n = 0; n < 40; n++) {
          const { id } = await put(node, mail(`${which}-${n}`));
          if (n % 5 === 0) await node.update([id], { tags: [`t${n}`] });
          if (n % 7 === 0) await node.delete([id]);
        }
      }),
    );
    await Promise.all([one.stats(), other.stats()]);
    expect(heard[1]).toEqual(heard[0]);
    const ids = heard[0].flatMap((change) => (change.kind === "added" ? change.message.id : []));
    expect(ids).toHaveLength(80);
    expect(ids).toEqual(ids.toSorted());
    expect(new Set(ids).size).toBe(80);
  });

  test("a message that two nodes delete at once is deleted by one of them", async () => {
    const [one, other] = await two();
    const { id } = await put(one, mail("contested"));
    const answers = await Promise.all([one.delete([id]), other.delete([id])]);
    expect(answers.flat()).toEqual([id]);
  });

  test("texts that PostgreSQL cannot hold in a text column come back as they were", async () => {
    const [one, other] = await two();
    const sender = 'a\u0000"\\ä@x.org';
    const { id } = await put(one, mail("odd"), { sender });
    expect((await other.get(id))?.sender).toBe(sender);
  });

  test("a database of a newer Mailkeep is refused", async () => {
    const url = await postgres().createDatabase();
    await join(url);
    await postgres().ask(url, "UPDATE mailkeep_head SET format = 99");
    expect(await codeOf(join(url))).toBe("format_too_new");
  });

  test("a node that cannot write does not start, and is not healthy", async () => {
    const url = await postgres().createDatabase();
    const owner = await join(url);
    await postgres().run("CREATE ROLE reader LOGIN");
    const grant = (rights: string) =>
      postgres().ask(url, `GRANT ${rights} ON mailkeep_head, mailkeep_record, mailkeep_piece TO reader`);
    await grant("SELECT, INSERT, UPDATE");
    const asReader = url.replace("mailkeep@", "reader@");
    await expect(join(asReader)).rejects.toThrow("the role reader lacks DELETE on mailkeep_head, DELETE on");
    await grant("DELETE");
    const reader = await join(asReader);
    await postgres().ask(url, "REVOKE INSERT ON mailkeep_record FROM reader");
    await expect(reader.check()).rejects.toThrow("the role reader lacks INSERT on mailkeep_record");
    await owner.check();
    await postgres().run(
      `ALTER DATABASE ${new URL(url).pathname.slice(1)} SET default_transaction_read_only = on`,
    );
    await expect(join(url)).rejects.toThrow("PostgreSQL only allows reading");
  });

  test("after the database was reset to an older state, a node refuses everything until it is restarted", async () => {
    const url = await postgres().createDatabase();
    const [folders, staleReads] = [[freshFolder(), freshFolder()], true];
    const [one, other] = [await join(url, {}, folders[0]), await join(url, { staleReads }, folders[1])];
    await put(one, mail("kept"));
    const { id } = await put(one, mail("lost"));
    await other.get(id);
    await postgres().ask(url, "DELETE FROM mailkeep_record WHERE seq = 2");
    await postgres().ask(url, "UPDATE mailkeep_head SET seq = 1");
    for (const node of [one, other]) expect(await codeOf(node.get(id))).toBe("database_failing");
    const fresh = await join(url);
    for (const subject of ["new1", "new2"]) await put(fresh, mail(subject));
    for (const node of [one, other]) {
      expect(await codeOf(node.list({ filter: {}, limit: 5 }))).toBe("database_failing");
      expect(await codeOf(put(node, mail("refused")))).toBe("database_failing");
      await expect(node.check()).rejects.toThrow("restart this node");
      opened.splice(opened.indexOf(node), 1);
      await node.close();
    }
    for (const folder of folders) {
      const again = await join(url, {}, folder);
      expect(await subjectsOf(again)).toEqual(["new2", "new1", "kept"]);
      expect(await again.count({ q: "lost" })).toBe(0);
      expect(await again.count({ q: "new1" })).toBe(1);
    }
  });

  test("a node notices that the database was reset and grew again while queries failed", async () => {
    const url = await postgres().createDatabase();
    const node = await join(url);
    await put(node, mail("kept"));
    const { id } = await put(node, mail("lost"));
    await postgres().ask(url, "ALTER TABLE mailkeep_head RENAME TO hidden");
    await expect(node.get(id)).rejects.toThrow(
      'PostgreSQL reports an error (42P01): relation "mailkeep_head" does not exist',
    );
    await postgres().ask(
      url,
      `UPDATE mailkeep_record SET payload = replace(payload::text, '${id}', 'another')::json WHERE seq = 2`,
    );
    await postgres().ask(url, "ALTER TABLE hidden RENAME TO mailkeep_head");
    await expect(node.get(id)).rejects.toThrow("restart this node");
  });

  test("a node without its folder reads the whole log, a node with its folder only the new records", async () => {
    const url = await postgres().createDatabase();
    const first = await join(url);
    const folder = freshFolder();
    const second = await join(url, {}, folder);
    const { id } = await put(first, mail("before"));
    await second.get(id);
    await second.close();
    opened.splice(opened.indexOf(second), 1);
    await put(first, mail("meanwhile"));
    const seen: number[] = [];
    const onProgress = ({ index, total }: { index: string; total: number }) => {
      if (index === "rows") seen.push(total);
    };
    for (const [dir, total] of [
      [folder, 1],
      [freshFolder(), 2],
    ] as const) {
      const node = await join(url, { onProgress }, dir);
      expect(await subjectsOf(node)).toEqual(["meanwhile", "before"]);
      expect(await node.count({ q: "before" })).toBe(1);
      expect(seen.splice(0)).toEqual([total]);
    }
  });

  test("a new node reads a log of several pages, and skips many deleted numbers", async () => {
    const url = await postgres().createDatabase();
    const writer = await join(url);
    await put(writer, mail("first"));
    await writer.close();
    opened.splice(opened.indexOf(writer), 1);
    await postgres().ask(url, "UPDATE mailkeep_head SET seq = seq + 9000");
    const other = await join(url);
    const big = "x".repeat(900_000);
    for (let n = 0; n < 12; n++) await put(other, mail(`word${n}`, big));
    const late = await join(url);
    expect(await subjectsOf(late)).toEqual(await subjectsOf(other));
    expect(await late.count({})).toBe(13);
    for (const q of ["first", "word0", "word11"]) expect(await late.count({ q })).toBe(1);
  });

  test("a mail above 1 MiB is written and read in pieces, a missing part is an error, and deleting frees them", async () => {
    const url = await postgres().createDatabase();
    const [one, other] = [await join(url), await join(url)];
    const raw = Buffer.from(`Subject: large\r\n\r\nfindme ${"0123456789abcdef\r\n".repeat(200_000)}`);
    const draft = one.begin({ sender: "", recipients: ["a@x.org"] });
    for (let at = 0; at < raw.length; at += 100_000) await draft.append(raw.subarray(at, at + 100_000));
    const { id } = await draft.commit();
    const found = await other.raw(id);
    expect(Buffer.from((await found?.bytes()) ?? []).equals(raw)).toBe(true);
    expect(await found?.bytes(1_048_570, 1_048_590)).toEqual(
      new Uint8Array(raw.subarray(1_048_570, 1_048_590)),
    );
    expect(await other.count({ q: "findme" })).toBe(1);
    await postgres().ask(url, "UPDATE mailkeep_piece SET bytes = '' WHERE number = 1");
    await expect(found?.bytes()).rejects.toThrow("is incomplete");
    const abandoned = one.begin({ sender: "", recipients: [] });
    await abandoned.append(raw);
    abandoned.abort();
    await other.delete([id]);
    const pieces = async () =>
      Number((await postgres().ask(url, "SELECT count(*) FROM mailkeep_piece"))[0]?.count);
    await until(async () => (await pieces()) === 0, "no piece is left");
    expect(await postgres().ask(url, "SELECT bytes < 1000 AS small FROM mailkeep_head")).toEqual([
      { small: true },
    ]);
  });

  test("while PostgreSQL is gone requests fail with a reason, and nodes recover by themselves", async () => {
    const url = await postgres().createDatabase();
    const [node, stale] = [await join(url), await join(url, { staleReads: true })];
    const { id } = await put(node, mail("kept"));
    await stale.get(id);
    const search = searchInProcess();
    const mayOpen = Promise.withResolvers<void>();
    search.held = mayOpen.promise;
    const late = await join(url, { staleReads: true, startSearchWorker: search.start });
    await postgres().kill();
    expect(await codeOf(put(node, mail("refused")))).toBe("database_failing");
    expect(await codeOf(node.delete([id]))).toBe("database_failing");
    expect(await codeOf(node.get(id))).toBe("database_failing");
    expect(await codeOf(stale.check())).toBe("database_failing");
    expect((await stale.get(id))?.subject).toBe("kept");
    // The node `late` must still build its text index from the log.
    mayOpen.resolve();
    expect(await codeOf(late.count({ q: "kept" }))).toBe("database_failing");
    await postgres().start();
    await until(async () => (await codeOf(node.check())) === "none", "the node works again");
    await put(node, mail("again"));
    expect(await late.count({ q: "kept" })).toBe(1);
    expect(await subjectsOf(node)).toEqual(["again", "kept"]);
    const heard: StoreChange[] = [];
    stale.onChange((change) => heard.push(change));
    await put(node, mail("heard"));
    await until(() => heard.length > 0, "the other node follows again without being asked");
  });

  test("a read does not wait long for a PostgreSQL that hangs", async () => {
    const url = await postgres().createDatabase();
    const [node, stale] = [await join(url), await join(url, { staleReads: true })];
    const { id } = await put(node, mail("kept"));
    await stale.get(id);
    const other = new SQL(url, { max: 1 });
    const held = await other.reserve();
    await held.unsafe("BEGIN; LOCK TABLE mailkeep_head").simple();
    const [refused, again, known] = await Promise.allSettled([node.get(id), node.get(id), stale.get(id)]);
    for (const read of [refused, again])
      expect(read).toMatchObject({ reason: { message: "PostgreSQL did not answer in time" } });
    expect(known).toMatchObject({ value: { subject: "kept" } });
    const slow = codeOf(node.get(id));
    // The stale read above waited for PostgreSQL. These reads do not wait again.
    for (let n = 0; n < 5; n++) expect((await stale.get(id))?.subject).toBe("kept");
    await expect(stale.raw(id)).rejects.toThrow("PostgreSQL did not answer in time");
    expect(await Promise.race([slow, "not yet"])).toBe("not yet");
    await slow;
    await held.unsafe("ROLLBACK");
    await other.close({ timeout: 0 });
    await until(async () => (await codeOf(node.get(id))) === "none", "the node works again");
    await until(async () => (await codeOf(stale.raw(id))) === "none", "the other node works again");
  });

  test("a large body that could not be read for a while is not missing in searches later", async () => {
    const url = await postgres().createDatabase();
    const one = await join(url);
    await put(one, mail("large", `findme ${"0123456789\r\n".repeat(100_000)}`));
    const other = new SQL(url, { max: 1 });
    await other`ALTER TABLE mailkeep_piece RENAME COLUMN bytes TO hidden`;
    const late = await join(url);
    expect(await codeOf(late.count({ q: "findme" }))).toBe("database_failing");
    await put(late, mail("small"));
    await other`ALTER TABLE mailkeep_piece RENAME COLUMN hidden TO bytes`;
    await other.close({ timeout: 0 });
    await until(async () => (await codeOf(late.count({ q: "findme" }))) === "none", "searches work again");
    expect(await late.count({ q: "findme" })).toBe(1);
    expect(await late.count({ q: "small" })).toBe(1);
  });

  test("killed connections may lose an answer, but never acknowledged mail", async () => {
    const url = await postgres().createDatabase();
    const [one, other] = [await join(url), await join(url)];
    const kept: string[] = [];
    for (let round = 0; round < 10; round++) {
      const puts = Promise.allSettled(
        [one, other].flatMap((node) =>
          Array.from({ length: 5 }, (_, n) =>
            put(node, mail(`${round}-${n}`)).then(({ id }) => kept.push(id)),
          ),
        ),
      );
      await postgres().run(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'mailkeep'",
      );
      await puts;
    }
    for (const node of [one, other]) {
      await until(async () => (await codeOf(node.check())) === "none", "the node works again");
      const stored = await node.walk({});
      expect(stored).toEqual(stored.toSorted());
      expect(kept.filter((id) => !stored.includes(id))).toEqual([]);
    }
    expect(await one.walk({})).toEqual(await other.walk({}));
  });
});
