// A mailbox for tests: keeps committed mails, and counts aborted ones.
import type { Mailbox } from "../../src/app/index.ts";
import { EXAMPLE_SUMMARY } from "../../src/model/index.ts";
import type { MessageDraft } from "../../src/store/index.ts";

export interface RecordedMail {
  readonly id: string;
  readonly sender: string;
  readonly recipients: readonly string[];
  readonly raw: Buffer;
}

export class RecordingMailbox implements Pick<Mailbox, "receive"> {
  readonly mails: RecordedMail[] = [];
  aborted = 0;
  /** Called before a commit resolves; may wait or throw. */
  beforeCommit: () => void | Promise<void> = () => {};
  /** Called for every chunk; may wait or throw. */
  onAppend: (chunk: Uint8Array) => void | Promise<void> = () => {};
  #waiting: { count: number; resolve: () => void }[] = [];

  receive(envelope: { sender: string; recipients: readonly string[] }): MessageDraft {
    const chunks: Uint8Array[] = [];
    return {
      append: (chunk) => {
        chunks.push(new Uint8Array(chunk));
        return this.onAppend(chunk);
      },
      commit: async () => {
        await this.beforeCommit();
        const raw = Buffer.concat(chunks);
        const id = String(this.mails.length + 1).padStart(26, "0");
        const { sender, recipients } = envelope;
        this.mails.push({ id, sender, recipients: [...recipients], raw });
        this.#waiting = this.#waiting.filter(({ count, resolve }) => {
          if (this.mails.length >= count) resolve();
          return this.mails.length < count;
        });
        const facts = { id, sender, recipients: [...recipients], size: raw.length, subject: "recorded" };
        return { ...EXAMPLE_SUMMARY, ...facts };
      },
      abort: () => {
        this.aborted++;
      },
    };
  }

  /** Holds commits back: `asked` resolves when the first one waits, `release` lets them continue. */
  holdCommits(): { readonly asked: Promise<void>; release(): void } {
    const asked = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    this.beforeCommit = () => {
      asked.resolve();
      return released.promise;
    };
    return { asked: asked.promise, release: released.resolve };
  }

  async received(count: number): Promise<void> {
    if (this.mails.length >= count) return;
    await new Promise<void>((resolve) => this.#waiting.push({ count, resolve }));
  }
}
