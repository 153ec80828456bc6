// Checks of stored mail, by id and options. Null means that there is no such message.
import { type Checker, type CheckOptions, checkedMail, type MailToCheck } from "../checks/index.ts";
import type { CheckName, CheckReport } from "../model/index.ts";
import type { Store } from "../store/index.ts";
import type { MessageReader } from "./message-reader.ts";

export interface MessageChecksOptions {
  readonly store: Store;
  readonly reader: MessageReader;
  readonly checker: Checker;
}

export class MessageChecks {
  readonly #options: MessageChecksOptions;

  constructor(options: MessageChecksOptions) {
    this.#options = options;
  }

  async report(id: string, names: readonly CheckName[], options: CheckOptions): Promise<CheckReport | null> {
    const mail = await this.#read(id);
    if (!mail) return null;
    const checks = names.map((name) => this.#options.checker.check(name, mail, options));
    return { checks: await Promise.all(checks) };
  }

  async linkAnswers(id: string): Promise<Awaited<ReturnType<Checker["linkAnswers"]>> | null> {
    const mail = await this.#read(id);
    return mail && this.#options.checker.linkAnswers(mail);
  }

  get hasSpamFilter(): boolean {
    return this.#options.checker.hasSpamFilter;
  }

  async #read(id: string): Promise<MailToCheck | null> {
    const { store, reader } = this.#options;
    const [summary, raw] = await Promise.all([store.get(id), store.raw(id)]);
    if (!summary || !raw) return null;
    const [bodies, structure] = await Promise.all([reader.bodies(id), reader.structure(id)]);
    return bodies && structure && { mail: checkedMail(structure, bodies, summary.sender), raw };
  }
}
