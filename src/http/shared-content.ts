// Content in memory, one copy for all who download it at the same time. It is found for as long as one of them is
// being answered: Bun holds a response until it is sent, and the response holds what it sends.
import { LightestFirst } from "../lib/lightest-first.ts";

const sent = new WeakMap<Response, Blob>();
/** As much is read at any time; of more, one after the other: what is read together is held together. */
const SMALL_BYTES = 1024 ** 2;

export class SharedContent {
  readonly #coming = new Map<string, Promise<Blob>>();
  readonly #held = new Map<string, WeakRef<Blob>>();
  readonly #turns = new LightestFirst<() => void>();
  #isReadingLarge = false;

  async get(name: string, bytes: number, read: () => Promise<Blob>): Promise<Blob> {
    return this.#held.get(name)?.deref() ?? this.#coming.get(name) ?? this.#read(name, bytes, read);
  }

  async #read(name: string, bytes: number, read: () => Promise<Blob>): Promise<Blob> {
    const reading = bytes <= SMALL_BYTES ? read() : this.#inTurn(bytes, read);
    const coming = reading.finally(() => this.#coming.delete(name));
    this.#coming.set(name, coming);
    const content = await coming;
    this.#forgetSent();
    this.#held.set(name, new WeakRef(content));
    return content;
  }

  async #inTurn(bytes: number, read: () => Promise<Blob>): Promise<Blob> {
    if (this.#isReadingLarge) await new Promise<void>((resolve) => this.#turns.add(resolve, bytes));
    this.#isReadingLarge = true;
    try {
      return await read();
    } finally {
      const next = this.#turns.take();
      this.#isReadingLarge = next !== undefined;
      next?.();
    }
  }

  #forgetSent(): void {
    for (const [name, content] of this.#held) if (!content.deref()) this.#held.delete(name);
  }
}

export function respondWith(content: Blob | ReadableStream<Uint8Array>, init: ResponseInit): Response {
  const response = new Response(content, init);
  if (content instanceof Blob) sent.set(response, content);
  return response;
}
