// The log of `--ephemeral`: nothing but the raw bytes, by seq. No record is needed where nothing survives.
import type { MessageRow, RecordRow } from "../rows/row.ts";
import type { Bodies, Body, BodyFile, BodySource, Log, LogPosition, NewMessage, Note, Place } from "./log.ts";
import { BLOCK_BYTES, type Blocks, copyOf, MemoryBodyFile, viewsOf } from "./memory-body.ts";

/** A body that lies in one piece, or a large one. */
type Stored = Uint8Array<ArrayBuffer> | { readonly blocks: Blocks; readonly size: number };

const NOTHING = new Uint8Array();
const NOWHERE: Place = { segment: 0, at: 0, body_at: 0 };
const NO_NOTE: Note = { segment: 0, bytes: 0 };

export class MemoryLog implements Log, Bodies {
  readonly largeBytes = BLOCK_BYTES;
  readonly isConfirmed = false;
  readonly #bodies = new Map<number, Stored>();
  /** The copies of large ones that somebody is being sent: a further reader gets the same. */
  readonly #blobs = new WeakMap<Blocks, WeakRef<Blob>>();
  #staged: number[] = [];
  #dropped: number[] = [];
  #bytes = 0;

  openBodyFile(): BodyFile {
    return new MemoryBodyFile();
  }

  stageMessage({ seq }: NewMessage, body: Body): Place {
    if (body.kind === "file") throw new Error("no body has a file in memory");
    this.#bodies.set(seq, body.kind === "blocks" ? body : joined(body.chunks, body.size));
    this.#bytes += body.size;
    this.#staged.push(seq);
    return NOWHERE;
  }

  stageChange(): Note {
    return NO_NOTE;
  }

  stageDelete(rows: readonly MessageRow[]): Note {
    for (const { seq } of rows) this.#dropped.push(seq);
    return NO_NOTE;
  }

  stageClear(): void {
    this.#dropped = [...this.#bodies.keys()];
  }

  stageBlank(): Note {
    return NO_NOTE;
  }

  write(): LogPosition {
    return NOWHERE;
  }

  assertInPlace(): void {}

  async confirm(): Promise<void> {}

  discard(): void {
    for (const seq of this.#staged) this.#remove(seq);
    this.#endGroup();
  }

  settle(): void {
    for (const seq of this.#dropped) this.#remove(seq);
    this.#endGroup();
  }

  freed(): null {
    return null;
  }

  async bytes({ seq }: RecordRow, start: number, end: number): Promise<Uint8Array> {
    const body = this.#body(seq);
    return "blocks" in body
      ? copyOf(body.blocks, start, Math.min(end, body.size))
      : body.subarray(start, end);
  }

  stream(row: RecordRow, start: number, end: number): ReadableStream<Uint8Array> {
    const body = this.#body(row.seq);
    if (!("blocks" in body)) return this.blob(row, start, end).stream();
    const views = viewsOf(body.blocks, start, Math.min(end, body.size));
    return new ReadableStream({
      pull: (controller) => {
        const { value, done } = views.next();
        if (done === true) controller.close();
        else controller.enqueue(value.slice());
      },
    });
  }

  blob({ seq }: RecordRow, start: number, end: number): Blob {
    const body = this.#body(seq);
    if (!("blocks" in body)) return new Blob([body.subarray(start, end)]);
    const { blocks, size } = body;
    const isWhole = start === 0 && end >= size;
    const held = isWhole ? this.#blobs.get(blocks)?.deref() : undefined;
    const blob = held ?? new Blob([...viewsOf(blocks, start, Math.min(end, size))]);
    if (isWhole) this.#blobs.set(blocks, new WeakRef(blob));
    return blob;
  }

  source({ seq }: RecordRow): BodySource {
    const body = this.#body(seq);
    return "blocks" in body ? { blocks: body.blocks, size: body.size } : { bytes: body };
  }

  async check(): Promise<void> {}

  contradicts(): boolean {
    return false;
  }

  keepAside(): null {
    return null;
  }

  size(): number {
    return this.#bytes;
  }

  async close(): Promise<void> {
    this.#bodies.clear();
  }

  #body(seq: number): Stored {
    return this.#bodies.get(seq) ?? NOTHING;
  }

  #remove(seq: number): void {
    const body = this.#body(seq);
    this.#bytes -= "blocks" in body ? body.size : body.length;
    this.#bodies.delete(seq);
  }

  #endGroup(): void {
    this.#staged = [];
    this.#dropped = [];
  }
}

function joined(chunks: readonly Uint8Array[], size: number): Uint8Array<ArrayBuffer> {
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    bytes.set(chunk, at);
    at += chunk.length;
  }
  return bytes;
}
