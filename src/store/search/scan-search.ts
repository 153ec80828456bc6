// A text search without an index: reads every message. Stands in until the worker's index is there.
import type { MessageFilter } from "../../model/index.ts";
import type { Log } from "../log/log.ts";
import type { SeqRange } from "../rows/filter-sql.ts";
import type { Rows } from "../rows/rows.ts";
import type { Found, SearchIndex } from "./search-index.ts";

export class ScanSearch implements SearchIndex {
  constructor(
    private readonly rows: Rows,
    private readonly log: Log,
  ) {}

  add(): void {}
  remove(): void {}
  clear(): void {}
  async close(): Promise<void> {}

  async find(
    q: string,
    filter: MessageFilter,
    range: SeqRange,
    limit: number,
    offset: number,
  ): Promise<Found> {
    const all = (await this.all(q, filter, {})).reverse();
    const page = all.filter((seq) => range.before === undefined || seq < range.before);
    return { seqs: page.slice(offset, offset + limit), total: all.length };
  }

  async all(q: string, filter: MessageFilter, range: SeqRange): Promise<number[]> {
    const words = q.toLowerCase().replaceAll('"', "").split(/\s+/).filter(Boolean);
    const found: number[] = [];
    for (const row of this.rows.rowsOf(this.rows.seqs(filter, range, -1))) {
      const raw = new TextDecoder().decode(await this.log.raw(row).bytes());
      const text = `${row.sender} ${row.recipients} ${row.subject} ${raw}`.toLowerCase();
      if (words.every((word) => text.includes(word))) found.push(row.seq);
    }
    return found;
  }
}
