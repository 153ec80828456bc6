// After any sequence of changes, restarts, kills, compactions and rebuilds, the mailbox equals a plain model.
import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import { join } from "node:path";
import type { MessageChange, MessageSummary } from "../../src/model/index.ts";
import type { FileStoreOptions, Store } from "../../src/store/index.ts";
import { useFolders } from "../support/folders.ts";
import { seeded } from "../support/random.ts";
import { faultyDisk } from "./faulty-disk.ts";
import { bytesOf, compact, copyTo, mail, openFiles, openMemory, put, rawOf } from "./open.ts";
import { searchInProcess } from "./search-in-process.ts";

const freshFolder = useFolders();

interface Kept {
  summary: MessageSummary;
  raw: Uint8Array;
  word: string;
}

const TINY = { segmentBytes: 2000, largeBytes: 600 };
const WORDS = ["alpha", "beta", "gamma", "delta"];

/** Steps that only a store in files supports. */
const OF_FILES = ["refuse", "refuse", "restart", "kill", "kill", "reindex", "compact", "compact"] as const;

class Run {
  readonly #random: (below: number) => number;
  #dir = freshFolder();
  #model: Kept[] = [];
  readonly #settings = new Map<string, unknown>();
  #lastId = "";
  #store!: Store;
  readonly #faulty = faultyDisk();
  readonly #options: Partial<FileStoreOptions>;
  readonly #isInMemory: boolean;
  readonly steps: string[] = [];

  constructor(seed: number, isInMemory: boolean) {
    this.#random = seeded(seed);
    this.#isInMemory = isInMemory;
    const durability = seed % 2 === 0 ? "disk" : "os";
    this.#options = {
      ...TINY,
      durability,
      disk: this.#faulty.disk,
      startSearchWorker: searchInProcess().start,
    };
  }

  async start(): Promise<void> {
    const { startSearchWorker } = this.#options;
    if (this.#isInMemory) this.#store = await openMemory({ ...(startSearchWorker && { startSearchWorker }) });
    else this.#store = await openFiles(this.#dir, this.#options);
  }

  async step(): Promise<void> {
    const weighted = [...Array(8).fill("put"), ...Array(4).fill("delete"), "update", "update", "update"];
    const all = [...weighted, "deleteWord", "set", "clear", ...(this.#isInMemory ? [] : OF_FILES)];
    const name = all[this.#random(all.length)] as keyof typeof this.actions;
    this.steps.push(name);
    await this.actions[name]();
  }

  readonly actions = {
    put: async () => {
      const word = WORDS[this.#random(WORDS.length)] ?? "";
      const count = 1 + this.#random(4);
      const raws = Array.from({ length: count }, () => bytesOf(mail(word, "x".repeat(this.#random(1000)))));
      const summaries = await Promise.all(raws.map((raw) => put(this.#store, raw)));
      raws.forEach((raw, index) => {
        const summary = summaries[index];
        if (summary === undefined) return;
        expect(summary.id > this.#lastId).toBe(true);
        this.#model.push({ summary, raw, word });
      });
      // Large bodies reach the log only when they are on disk, so the ids may not be in the order of the calls.
      this.#model.sort((a, b) => (a.summary.id < b.summary.id ? -1 : 1));
      this.#lastId = this.#model.at(-1)?.summary.id ?? this.#lastId;
    },
    update: async () => {
      const ids = this.#some();
      const changes: MessageChange[] = [
        { is_read: this.#random(2) === 0 },
        { is_starred: this.#random(2) === 0 },
        { tags: WORDS.slice(this.#random(4), this.#random(5)) },
      ];
      const change = changes[this.#random(3)] ?? {};
      const changed = await this.#store.update(ids, change);
      for (const kept of this.#model) {
        if (ids.includes(kept.summary.id)) Object.assign(kept.summary, change);
      }
      expect(changed.length).toBe(ids.length);
    },
    delete: async () => {
      const ids = this.#some();
      expect(await this.#store.delete(ids)).toEqual(ids);
      this.#model = this.#model.filter(({ summary }) => !ids.includes(summary.id));
    },
    deleteWord: async () => {
      const word = WORDS[this.#random(WORDS.length)] ?? "";
      const doomed = this.#model.filter((kept) => kept.word === word).map(({ summary }) => summary.id);
      expect(await this.#store.deleteMatching({ q: word })).toEqual(doomed);
      this.#model = this.#model.filter((kept) => kept.word !== word);
    },
    set: async () => {
      const key = `k/${this.#random(4)}`;
      const value = this.#random(3) === 0 ? null : { n: this.#random(100) };
      await this.#store.set(key, value);
      if (value === null) this.#settings.delete(key);
      else this.#settings.set(key, value);
    },
    clear: async () => {
      expect(await this.#store.clear()).toBe(this.#model.length);
      this.#model = [];
    },
    restart: async () => {
      await this.#store.close();
      await this.start();
    },
    reindex: async () => {
      await this.#store.close();
      for (const name of ["index.sqlite", "search.sqlite"]) rmSync(join(this.#dir, name), { force: true });
      await this.start();
    },
    kill: async () => {
      const copy = copyTo(freshFolder(), this.#dir);
      await this.#store.close();
      this.#dir = copy;
      await this.start();
    },
    compact: async () => {
      await compact(this.#store);
    },
    refuse: async () => {
      const at = this.#options.durability === "disk" && this.#random(2) === 0 ? "sync" : "write";
      const ids = this.#model.map(({ summary }) => summary.id).slice(0, 2);
      const changes = [
        () => put(this.#store, mail("alpha", "x".repeat(this.#random(1000)))),
        () => this.#store.update(ids, { tags: ["alpha"] }),
        () => this.#store.delete(ids),
      ].slice(0, ids.length > 0 ? 3 : 1);
      this.#faulty.fails = { at, code: "EIO" };
      const refused = changes.map((change) => change().catch((error) => error.code));
      expect(await Promise.all(refused)).toEqual(changes.map(() => "disk_failing"));
      this.#faulty.fails = null;
      if (this.#random(2) === 0) await this.#store.check();
    },
  };

  async verify(): Promise<void> {
    const expected = this.#model.map(({ summary }) => summary).reverse();
    const page = await this.#store.list({ filter: {}, limit: 1000 });
    expect(page).toEqual({ messages: expected, total: expected.length, next_cursor: null });
    for (const { summary, raw } of this.#model) expect(await rawOf(this.#store, summary.id)).toEqual(raw);
    for (const word of WORDS) {
      const count = this.#model.filter((kept) => kept.word === word).length;
      expect({ word, count: await this.#store.count({ q: word }) }).toEqual({ word, count });
      const tagged = this.#model.filter(({ summary }) => summary.tags.includes(word)).length;
      expect(await this.#store.count({ tags: [word] })).toBe(tagged);
    }
    const settings = [...this.#settings].map(([key, value]) => ({ key, value }));
    expect(await this.#store.settings("k/")).toEqual(settings.sort((a, b) => (a.key < b.key ? -1 : 1)));
    const unread = this.#model.filter(({ summary }) => !summary.is_read).length;
    const bytes = this.#model.reduce((sum, { raw }) => sum + raw.length, 0);
    expect(await this.#store.stats()).toMatchObject({
      messages: expected.length,
      unread,
      message_bytes: bytes,
    });
  }

  async end(): Promise<void> {
    await this.#store.close();
  }

  #some(): string[] {
    const count = this.#random(4);
    return this.#model
      .map(({ summary }) => summary.id)
      .filter(() => this.#random(3) === 0)
      .slice(0, count);
  }
}

const RUNS = Number(process.env.STORE_MODEL_RUNS ?? 12);
const STEPS = 60;
const CASES = Array.from({ length: RUNS }, (_, at) => [at % 4 === 3 ? "memory" : "files", at + 1] as const);

test.each(CASES)("after a random history the mailbox equals the model (%s, seed %i)", async (kind, seed) => {
  const run = new Run(seed, kind === "memory");
  await run.start();
  try {
    for (let step = 0; step < STEPS; step++) {
      await run.step();
      if (step % 5 === 0) await run.verify();
    }
    await run.actions.compact();
    await run.verify();
    if (kind === "files") await run.actions.reindex();
    await run.verify();
  } catch (error) {
    throw new Error(`after ${run.steps.join(" ")}`, { cause: error });
  }
  await run.end();
});
