// Checks of stored mail, by id and options. Answers that cannot change are kept until a message is deleted.
import { type Checker, type CheckOptions, checkedMail, type MailToCheck } from "../checks/index.ts";
import type { EventBus } from "../events/index.ts";
import type { CheckName, CheckReport, InboxEvent } from "../model/index.ts";
import type { Store } from "../store/index.ts";
import { BoundedCache } from "./bounded-cache.ts";
import type { MessageReader } from "./message-reader.ts";

export interface MessageChecksOptions {
  readonly store: Store;
  readonly reader: MessageReader;
  readonly bus: EventBus<InboxEvent>;
  readonly checker: Checker;
}

type Outcome = Awaited<ReturnType<Checker["check"]>>;

const CACHE = { maxEntries: 2000, maxBytes: 16 * 1024 ** 2 };

export class MessageChecks {
  readonly #options: MessageChecksOptions;
  readonly #cache = new BoundedCache<Outcome>(
    CACHE,
    (outcome) => 2 * JSON.stringify(outcome).length,
    ({ mayChange }) => !mayChange,
  );

  constructor(options: MessageChecksOptions) {
    this.#options = options;
    options.bus.subscribe(({ type }) => {
      if (type === "message:delete" || type === "messages:clear") this.#cache.clear();
    });
  }

  /** Null when there is no such message. */
  async report(id: string, names: readonly CheckName[], options: CheckOptions): Promise<CheckReport | null> {
    const mail = await this.#read(id);
    if (!mail) return null;
    const key = `${id} ${Bun.SHA256.hash(JSON.stringify(options), "hex")}`;
    const checks = names.map((name) =>
      this.#cache.get(`${key} ${name}`, () => this.#options.checker.check(name, mail, options)),
    );
    return { checks: (await Promise.all(checks)).flatMap((outcome) => outcome?.check ?? []) };
  }

  /** Null when there is no such message. */
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
