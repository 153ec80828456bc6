// Everything that arrives during a run, also what the tests delete again.
import type { Inbox, MessageSummary } from "../../client/index.ts";
import { saveMails } from "./save-mails.ts";

export class Capture {
  /** In the order of arrival. */
  readonly mails: MessageSummary[] = [];
  readonly #folder: string | undefined;
  #saving: Promise<void> = Promise.resolve();
  #missed = 0;

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  add(mail: MessageSummary, inbox: Inbox): void {
    this.mails.push(mail);
    if (this.#folder === undefined) return;
    const folder = this.#folder;
    this.#saving = this.#saving.then(() => this.#save(mail, inbox, folder));
    // Whoever asks for the end of it is told; until then a failure is nobody's.
    this.#saving.catch(() => {});
  }

  /** Resolves when all are saved, with the number of those that were deleted before they could be. */
  async saved(): Promise<number> {
    await this.#saving;
    return this.#missed;
  }

  async #save(mail: MessageSummary, inbox: Inbox, folder: string): Promise<void> {
    const saved = await saveMails(inbox, [mail], folder);
    this.#missed += 1 - saved;
  }
}
