// The log of `--ephemeral`: nothing but the raw bytes, by seq. No record is needed where nothing survives.
import type { MessageRow } from "../rows/row.ts";
import type { Bodies, Body, BodyFile, BodySource, Log, LogPosition, NewMessage, Note, Place } from "./log.ts";

const NOWHERE: Place = { segment: 0, at: 0, body_at: 0 };
const NO_NOTE: Note = { segment: 0, bytes: 0 };

export class MemoryLog implements Log, Bodies {
  readonly largeBytes = Number.POSITIVE_INFINITY;
  readonly #bodies = new Map<number, Uint8Array<ArrayBuffer>>();
  #staged: number[] = [];
  #dropped: number[] = [];
  #bytes = 0;

  openBodyFile(): BodyFile {
    throw new Error("no body is large in memory");
  }

  stageMessage({ seq }: NewMessage, body: Body): Place {
    if (body.kind === "file") throw new Error("no body is large in memory");
    this.#bodies.set(seq, joined(body.chunks, body.size));
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

  write(): LogPosition {
    return NOWHERE;
  }

  discard(): void {
    for (const seq of this.#staged) this.#remove(seq);
    this.#endGroup();
  }

  settle(): void {
    for (const seq of this.#dropped) this.#remove(seq);
    this.#endGroup();
  }

  sync(): null {
    return null;
  }

  async bytes({ seq }: MessageRow, start: number, end: number): Promise<Uint8Array> {
    return this.#body(seq).subarray(start, end);
  }

  stream(row: MessageRow, start: number, end: number): ReadableStream<Uint8Array> {
    return this.blob(row, start, end).stream();
  }

  blob({ seq }: MessageRow, start: number, end: number): Blob {
    return new Blob([this.#body(seq).subarray(start, end)]);
  }

  source({ seq }: MessageRow): BodySource {
    return { bytes: this.#body(seq) };
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

  #body(seq: number): Uint8Array<ArrayBuffer> {
    return this.#bodies.get(seq) ?? new Uint8Array();
  }

  #remove(seq: number): void {
    this.#bytes -= this.#bodies.get(seq)?.length ?? 0;
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
