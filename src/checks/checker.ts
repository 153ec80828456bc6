// Runs each check in a worker with a time limit. If a check fails, the others still answer.
import { TaskPool } from "../mime/index.ts";
import type { Check, CheckFinding, CheckName, DnsRecords } from "../model/index.ts";
import type { DnsSource } from "./dns.ts";
import { type Fetched, fetchLinks } from "./fetch-links.ts";
import { concluded, off } from "./finding.ts";
import type { MailToCheck, SpamEngines } from "./mail.ts";
import type { CheckTasks } from "./tasks.ts";

/** What checks may connect to: DNS (null for none), the private hosts that links may name, and spam filters. */
export interface CheckSettings {
  readonly dns: DnsSource | null;
  readonly linksAllow: readonly string[];
  readonly engines: SpamEngines;
}

export interface CheckerOptions extends CheckSettings {
  readonly startWorker: () => Worker;
  readonly timeoutMs: number;
}

export interface CheckOptions {
  /** Names, families or platforms. Empty for the default clients. */
  readonly clients: readonly string[];
  readonly fetchesLinks: boolean;
  /** Null uses the DNS of the settings. */
  readonly dns: DnsRecords | null;
}

interface LinkAnswer {
  readonly url: string;
  readonly answer: Fetched | undefined;
}

const MiB = 1024 ** 2;
/** The most raw bytes that a check gets: copying them to the worker blocks the main thread. */
const MAX_RAW_BYTES = 16 * MiB;
const NO_RAW: readonly CheckName[] = ["html", "links", "accessibility"];
const NO_BYTES = new Uint8Array();

const NO_DNS =
  "Off: no DNS is configured. Turn it on with --check-dns or --dns-records, or POST the records to the API.";
const NO_ENGINE = "Off: no spam filter is configured. Turn it on with --spamassassin or --rspamd.";
const TOO_LARGE = `Off: the mail is larger than ${MAX_RAW_BYTES / MiB} MiB.`;

export class Checker {
  readonly #options: CheckerOptions;
  readonly #pool: TaskPool<CheckTasks>;

  constructor(options: CheckerOptions) {
    this.#options = options;
    this.#pool = new TaskPool<CheckTasks>(options.startWorker, options.timeoutMs);
  }

  async check(name: CheckName, { mail, raw }: MailToCheck, options: CheckOptions): Promise<Check> {
    const { linksAllow, engines } = this.#options;
    const dns = options.dns ?? this.#options.dns;
    const reason = whyOff(name, dns, engines, raw.size);
    if (reason !== null) return off(name, reason);
    const load = async () => ({
      mail,
      raw: NO_RAW.includes(name) ? NO_BYTES : await raw.bytes(0, Math.min(raw.size, MAX_RAW_BYTES)),
      clients: options.clients,
      allow: linksAllow,
      fetchesLinks: options.fetchesLinks,
      dns: dns ?? {},
      engines,
    });
    try {
      return await this.#pool.run(name, load);
    } catch (error) {
      return notMade(name, error);
    }
  }

  async linkAnswers({ mail }: MailToCheck): Promise<LinkAnswer[]> {
    const urls = await this.#pool.run("webAddresses", () => mail);
    const answers = await fetchLinks(urls, { allow: this.#options.linksAllow });
    return urls.map((url) => ({ url, answer: answers.get(url) }));
  }

  get hasSpamFilter(): boolean {
    return isAny(this.#options.engines);
  }

  close(): void {
    this.#pool.close();
  }
}

const isAny = ({ spamassassin, rspamd }: SpamEngines) => spamassassin !== undefined || rspamd !== undefined;

function whyOff(name: CheckName, dns: DnsSource | null, engines: SpamEngines, size: number): string | null {
  if (name === "auth" && dns === null) return NO_DNS;
  if (name === "spam" && !isAny(engines)) return NO_ENGINE;
  return (name === "auth" || name === "spam") && size > MAX_RAW_BYTES ? TOO_LARGE : null;
}

function notMade(name: CheckName, error: unknown): Check {
  const reason = (error as Error).message.replace(/^Error: /, "");
  const finding: CheckFinding = {
    rule: "check-failed",
    severity: "error",
    message: `The check did not finish: ${reason}.`,
    help: "See the reason. Very large or deeply nested mails take too long.",
    where: null,
  };
  return concluded(name, [finding], { said: "The check could not be made", score: null });
}
