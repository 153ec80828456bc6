// The contract of a log, run against every implementation.
import { afterEach, describe, expect, test } from "bun:test";
import type { Log, LogEntry, LogRecord, MessageRecord, NewRecord } from "../../src/store/log/log.ts";
import { bytesOf } from "../store/open.ts";

export interface OpenedLog {
  readonly log: Log;
  /** Closes and reopens the log; null if the log is in memory. */
  readonly reopen: (() => Promise<Log>) | null;
}

export const messageRecord = (seq: number, size: number): MessageRecord => ({
  kind: "message",
  seq,
  id: `01J${String(seq).padStart(23, "0")}`,
  inbox: seq % 2 === 0 ? "shop" : "default",
  time: 1_700_000_000_000 + seq,
  sender: "ä@x.org",
  recipients: ["b@x.org", "c@x.org"],
  subject: `Grüße ${seq}`,
  has_attachments: seq % 2 === 0,
  header_from: "Ä <ä@x.org>",
  header_to: "b@x.org",
  tags: seq % 3 === 0 ? ["t"] : [],
  size,
});

export function messageOf(seq: number, text: string): NewRecord {
  const body = bytesOf(text);
  return { record: messageRecord(seq, body.length), body };
}

export async function readAll(log: Log, seq = 0): Promise<LogRecord[]> {
  const records: LogRecord[] = [];
  for await (const entries of log.read(seq)) records.push(...entries.map(({ record }) => record));
  return records;
}

/** If several nodes share the log, a writer must wait for its turn. */
async function appendTo(log: Log, records: readonly NewRecord[]): Promise<LogEntry[]> {
  if (log.shared === null) return log.append(records);
  let entries: LogEntry[] = [];
  await log.shared.turn(async () => {
    entries = await log.append(records);
  });
  return entries;
}

export async function bodyOf(log: Log, added: NewRecord): Promise<string | null> {
  const wanted = added.record as MessageRecord;
  for await (const entries of log.read(0))
    for (const { record, place } of entries) {
      if (record.kind !== "message" || record.seq !== wanted.seq) continue;
      const raw = await log.body({ ...place, seq: record.seq, id: record.id, size: record.size });
      return raw === null ? null : new TextDecoder().decode(await raw.bytes());
    }
  return null;
}

const CHANGE: LogRecord = {
  kind: "change",
  seq: 3,
  fields: ["is_read", "tags"],
  states: [{ seqs: [1, 2], is_read: true, is_starred: false, tags: ["x"] }],
};

export function describeLog(name: string, open: () => Promise<OpenedLog>): void {
  describe(name, () => {
    const closing: Log[] = [];
    afterEach(async () => {
      for (const log of closing.splice(0)) await log.close();
    });
    const fresh = async () => {
      const opened = await open();
      closing.push(opened.log);
      return opened;
    };
    const reopened = async ({ log, reopen }: OpenedLog) => {
      if (reopen === null) return log;
      closing.splice(closing.indexOf(log), 1);
      const again = await reopen();
      closing.push(again);
      return again;
    };

    test("a new log is empty", async () => {
      const { log } = await fresh();
      expect({ seq: log.lastSeq, id: log.lastId, records: await readAll(log) }).toEqual({
        seq: 0,
        id: "",
        records: [],
      });
    });

    test("messages are read in order, all or those after a number, byte for byte", async () => {
      const opened = await fresh();
      const added = Array.from({ length: 5 }, (_, n) => messageOf(n + 1, `body ${n} \0 ÿ\r\n`));
      const entries = [
        ...(await appendTo(opened.log, added.slice(0, 3))),
        ...(await appendTo(opened.log, added.slice(3))),
      ];
      expect(entries.map(({ record }) => record)).toEqual(added.map(({ record }) => record));
      for (const look of [() => opened.log, () => reopened(opened)]) {
        const log = await look();
        expect(await readAll(log)).toEqual(added.map(({ record }) => record));
        expect(await readAll(log, 3)).toEqual(added.slice(3).map(({ record }) => record));
        expect(await readAll(log, 5)).toEqual([]);
        for (const [n, one] of added.entries()) expect(await bodyOf(log, one)).toBe(`body ${n} \0 ÿ\r\n`);
        expect([log.lastSeq, log.lastId]).toEqual([5, messageRecord(5, 0).id]);
      }
    });

    test("a large body is written while it arrives, if the log supports that", async () => {
      const opened = await fresh();
      if (opened.log.largeBytes === Number.POSITIVE_INFINITY) return;
      const writer = opened.log.openLargeBody();
      await writer.append(bytesOf("0123456789".repeat(30_000)));
      await writer.append(bytesOf("end"));
      const body = await writer.finish();
      const added = { record: messageRecord(1, body.size), body };
      await appendTo(opened.log, [added, messageOf(2, "small")]);
      const log = await reopened(opened);
      expect(await bodyOf(log, added)).toBe(`${"0123456789".repeat(30_000)}end`);
      expect(await bodyOf(log, messageOf(2, ""))).toBe("small");
    });

    test("after changes and deletions the remaining messages are read, and the numbers continue", async () => {
      const opened = await fresh();
      const added = [messageOf(1, "one"), messageOf(2, "two")];
      await appendTo(opened.log, added);
      await appendTo(opened.log, [{ record: CHANGE }]);
      await appendTo(opened.log, [{ record: { kind: "delete", seq: 4, seqs: [1] } }]);
      const log = await reopened(opened);
      expect(log.lastSeq).toBe(4);
      const records = await readAll(log);
      expect(records.filter(({ seq }) => seq === 2)).toEqual([messageRecord(2, 3)]);
      // The log in memory keeps no changes and deletions, because no later start reads it.
      if (opened.reopen !== null)
        expect(records.flatMap(({ kind }) => (kind === "message" ? [] : kind))).toEqual(["change", "delete"]);
    });

    test("a clear removes everything before it, and numbers and ids continue", async () => {
      const opened = await fresh();
      await appendTo(opened.log, [messageOf(1, "gone"), messageOf(2, "gone")]);
      await appendTo(opened.log, [{ record: { kind: "clear", seq: 3 } }]);
      await opened.log.free?.([]);
      expect([opened.log.lastSeq, opened.log.lastId]).toEqual([3, messageRecord(2, 0).id]);
      await appendTo(opened.log, [messageOf(4, "kept")]);
      const log = await reopened(opened);
      expect((await readAll(log)).filter(({ kind }) => kind === "message")).toEqual([messageRecord(4, 4)]);
      expect(await bodyOf(log, messageOf(4, ""))).toBe("kept");
    });

    test("a clear keeps the settings, with their numbers", async () => {
      const opened = await fresh();
      if (opened.reopen === null) return;
      const kept = [1, 3].map((seq) => ({ kind: "setting", seq, key: `k${seq}`, value: { seq } }) as const);
      for (const record of kept) {
        await appendTo(opened.log, [{ record }]);
        await appendTo(opened.log, [messageOf(record.seq + 1, "gone")]);
      }
      const clear = { kind: "clear", seq: 5 } as const;
      await appendTo(opened.log, [{ record: clear, kept }]);
      await appendTo(opened.log, [messageOf(6, "kept")]);
      const log = await reopened(opened);
      expect(await readAll(log)).toEqual([...kept, clear, messageRecord(6, 4)]);
      expect(await readAll(log, 3)).toEqual([clear, messageRecord(6, 4)]);
      expect(log.lastSeq).toBe(6);
    });

    test("the size of the log grows with each message and shrinks with a clear", async () => {
      const { log } = await fresh();
      const empty = log.size;
      await appendTo(log, [messageOf(1, "x".repeat(5000))]);
      expect(log.size).toBeGreaterThanOrEqual(empty + 5000);
      await appendTo(log, [{ record: { kind: "clear", seq: 2 } }]);
      expect(log.size).toBeLessThan(empty + 1000);
    });
  });
}
