// The mailbox as a test sees it. An inbox can be narrowed to a filter, so that tests that run at
// the same time neither see nor delete each other's mail.
import {
  type Asked,
  assertUnderstood,
  describeCountFailure,
  describeTimeout,
  ExpectationError,
  MailkeepError,
} from "./errors.ts";
import {
  conditions,
  filterParameters,
  type MailFilter,
  narrow,
  optionsOf,
  type Parameter,
  refuseLimit,
} from "./filter.ts";
import { loadMail, type Mail } from "./mail.ts";
import {
  type CreateInboxOptions,
  createInbox,
  type FaultOptions,
  type InjectedFault,
  injectFault,
  type Ownership,
  type Tokens,
  tokensOf,
} from "./setup.ts";
import { type Beginning, beginAt, millisecondsOf, type TimeSpan } from "./time.ts";
import { inboxPath, type Subscription, Transport } from "./transport.ts";
import type * as api from "./types.ts";

export interface WaitOptions {
  /** How long to wait at most; by default `"4s"`, or `"1s"` for `not.toReceive()`. */
  readonly timeout?: TimeSpan;
  readonly signal?: AbortSignal;
}

export interface ListOptions {
  /** How many at most; by default all. */
  readonly limit?: number;
  readonly signal?: AbortSignal | undefined;
}

export interface CountExpectation {
  readonly min?: number;
  readonly max?: number;
  /** Sets both `min` and `max`. */
  readonly exactly?: number;
  /** How long to wait at most until the count holds; by default not at all. */
  readonly timeout?: TimeSpan;
  /** How long the count must then hold: `"2s"` if no second mail may come within two seconds. */
  readonly settle?: TimeSpan;
  readonly signal?: AbortSignal;
}

const COUNT_OPTIONS = ["exactly", "min", "max", "timeout", "settle", "signal"] as const;

/** A caller in JavaScript may pass undefined or null. */
function boundsOf(expectation?: CountExpectation) {
  const { exactly, min, max } = expectation ?? {};
  const given = { min: min ?? exactly ?? undefined, max: max ?? exactly ?? undefined };
  if (given.min === undefined && given.max === undefined)
    throw new TypeError("expectCount needs min, max or exactly");
  if (typeof exactly === "number" && (given.min !== exactly || given.max !== exactly))
    throw new TypeError("expectCount takes either exactly, or min and max");
  return given;
}

/** Less than 5 s: after that Vitest, Jest and bun:test end a test without our error message. */
const DEFAULT_TIMEOUT = "4s";
const MATCHES_SHOWN = 5;
const MAX_PAGE = 200;
/** The server keeps only the last 1,000. */
const MAX_REJECTIONS = 1000;

export class Inbox {
  readonly #transport: Transport;
  readonly #beginning: Beginning;
  readonly #scope: MailFilter;

  constructor(transport: Transport, beginning: Beginning, scope: MailFilter = {}) {
    this.#transport = transport;
    this.#beginning = beginning;
    this.#scope = scope;
  }

  /**
   * Makes a new inbox on this server, with an address, a login for SMTP and a token. The inbox is
   * removed by `remove()`, by `await using`, or when it expires: by default after one hour.
   */
  async createInbox(options: CreateInboxOptions = {}): Promise<OwnInbox> {
    const own = await createInbox(this.#transport, options);
    const transport = new Transport(this.url, own.token);
    return Object.assign(new Inbox(transport, beginAt(transport, "all")), own);
  }

  /** The inboxes that you may see. */
  async inboxes(): Promise<api.InboxState[]> {
    return (await this.#transport.json<api.InboxList>("/api/v1/inboxes", "inboxes")).inboxes;
  }

  async removeInbox(name: string): Promise<void> {
    await this.#transport.send(inboxPath(name), { method: "DELETE" });
  }

  /** Tokens for programs. Only administrators can manage them. */
  get tokens(): Tokens {
    return tokensOf(this.#transport);
  }

  get url(): string {
    return this.#transport.url;
  }

  /**
   * The same inbox, narrowed to the mail that matches: `connect().only({ to: "ann@example.com" })`.
   * A filter of a later call narrows it further. If the API cannot combine both filters, that call
   * throws. `get()`, `raw()`, `subscribe()` and `fetch()` are not narrowed.
   */
  only(filter: MailFilter): Inbox {
    return new Inbox(this.#transport, this.#beginning, narrow(this.#scope, filter));
  }

  /** The oldest mail that matches, as soon as there is one. */
  async waitFor(filter: MailFilter = {}, options: WaitOptions = {}): Promise<Mail> {
    const { timeout: given, signal } = optionsOf(options, ["timeout", "signal"]);
    const timeout = given ?? DEFAULT_TIMEOUT;
    const query: Parameter[] = [...(await this.#parameters(filter, signal)), ["timeout", timeout]];
    const response = await this.#transport.send("/api/v1/messages/wait", { query, signal, accept: [417] });
    if (response.ok)
      return loadMail(this.#transport, this.#transport.read<api.Message>(response, "id"), signal);
    const answer = this.#transport.read<api.WaitTimedOut>(response, "waited_ms");
    throw new ExpectationError(
      describeTimeout(this.#asked(filter, response.hint, millisecondsOf(timeout)), answer),
      answer,
    );
  }

  /** The newest mail that matches, or null. */
  async latest(filter: MailFilter = {}): Promise<Mail | null> {
    const query = await this.#parameters(filter);
    try {
      const message = await this.#transport.json<api.Message>("/api/v1/messages/latest", "id", { query });
      return await loadMail(this.#transport, message);
    } catch (error) {
      if (error instanceof MailkeepError && error.code === "no_match") return null;
      throw error;
    }
  }

  async get(id: string): Promise<Mail> {
    const message = await this.#transport.json<api.Message>(
      `/api/v1/messages/${encodeURIComponent(id)}`,
      "id",
    );
    return loadMail(this.#transport, message);
  }

  /** The bytes of one mail as they were sent. */
  raw(id: string): Promise<Uint8Array> {
    return this.#transport.bytes(`/api/v1/messages/${encodeURIComponent(id)}/raw`);
  }

  /** All matching mails, newest first. */
  async list(filter: MailFilter = {}, options: ListOptions = {}): Promise<api.MessageSummary[]> {
    const { limit: given, signal } = optionsOf(options, ["limit", "signal"]);
    refuseLimit(given);
    const limit = given ?? Number.POSITIVE_INFINITY;
    const filters = await this.#parameters(filter, signal);
    const found: api.MessageSummary[] = [];
    let before: string | null = null;
    while (found.length < limit) {
      const query: Parameter[] = [...filters, ["limit", String(Math.min(MAX_PAGE, limit - found.length))]];
      if (before !== null) query.push(["before", before]);
      const answer = await this.#transport.send("/api/v1/messages", { query, signal }).catch((error) => {
        if (error instanceof MailkeepError && error.code === "unknown_cursor") return null;
        throw error;
      });
      // Another test deleted the last mail of the page, so the list begins again.
      if (answer === null) return this.list(filter, options);
      const page = this.#transport.read<api.MessageList>(answer, "next_cursor");
      assertUnderstood(page.messages.length > 0 || before !== null, answer.hint);
      found.push(...page.messages);
      before = page.next_cursor;
      if (before === null) break;
    }
    return found;
  }

  async count(filter: MailFilter = {}): Promise<number> {
    const query = await this.#parameters(filter);
    const response = await this.#transport.send("/api/v1/assert/count", { query });
    const { count } = this.#transport.read<api.CountHolds>(response, "count");
    assertUnderstood(count > 0, response.hint);
    return count;
  }

  /** Returns the count, or throws an ExpectationError that says which mails there are. */
  async expectCount(filter: MailFilter, expectation: CountExpectation): Promise<number> {
    const { min, max } = boundsOf(expectation);
    const { timeout, settle, signal } = optionsOf(expectation, COUNT_OPTIONS);
    if (min !== undefined && max !== undefined && min > max)
      throw new TypeError(`expectCount cannot be met: at least ${min} and at most ${max}`);
    const bounds = Object.entries({ min, max }).flatMap(([name, bound]): Parameter[] =>
      bound === undefined ? [] : [[name, String(bound)]],
    );
    // The server names mails that almost matched only if it gets a timeout, even of 0 s.
    const limits: Parameter[] = [
      ["timeout", timeout ?? "0s"],
      ["settle", settle ?? "0s"],
    ];
    const query = [...(await this.#parameters(filter, signal)), ...bounds, ...limits];
    const response = await this.#transport.send("/api/v1/assert/count", { query, signal, accept: [417] });
    const answer = this.#transport.read<api.CountHolds | api.CountFails>(response, "count");
    if (answer.ok) {
      assertUnderstood(answer.count > 0, response.hint);
      return answer.count;
    }
    const matching = answer.count > 0 ? await this.list(filter, { limit: MATCHES_SHOWN, signal }) : [];
    const failed = this.#asked(filter, response.hint, millisecondsOf(timeout ?? "0s"));
    throw new ExpectationError(describeCountFailure(failed, answer, matching), answer);
  }

  /** Removes the mails that match and returns their number. */
  async delete(filter: MailFilter): Promise<number> {
    if (conditions(filter ?? {}).every(([name, value]) => name === "since" && value === "all")) {
      throw new TypeError("delete() needs a filter; clear() removes everything");
    }
    return this.#remove(filter);
  }

  /**
   * Removes all mail that this inbox sees: mail that matches its filter and, by default, arrived
   * after connect().
   */
  async clear(): Promise<number> {
    return this.#remove({});
  }

  /** Calls back for every event, whatever the filter, from the moment when the promise resolves. */
  subscribe(onEvent: (event: api.InboxEvent) => void): Promise<Subscription> {
    return this.#transport.subscribe(onEvent);
  }

  /**
   * Makes mail fail on purpose until the fault ends or is removed. In an inbox that is narrowed to
   * `from` or `to`, only mail of that address fails. An inbox narrowed by anything else throws.
   */
  async fail(options: FaultOptions): Promise<InjectedFault> {
    const scope = this.#envelopeScope("fail");
    const { from, to } = options;
    narrow(scope, { ...(from !== undefined && { from }), ...(to !== undefined && { to }) });
    return injectFault(this.#transport, { ...scope, ...options });
  }

  /**
   * The mail that the server refused, newest first. In an inbox that is narrowed to `from` or `to`,
   * only mail from or to that address. Throws if the inbox is narrowed by anything else.
   */
  async rejections(options: { readonly limit?: number } = {}): Promise<api.Rejection[]> {
    const { limit = MAX_REJECTIONS } = optionsOf(options, ["limit"]);
    refuseLimit(limit);
    const { from, to } = this.#envelopeScope("rejections");
    const isNarrowed = from !== undefined || to !== undefined;
    const query: Parameter[] = [["limit", String(isNarrowed ? MAX_REJECTIONS : limit)]];
    const answer = await this.#transport.json<api.RejectionList>("/api/v1/rejections", "rejections", {
      query,
    });
    const isIn = (addresses: readonly string[], asked: string | undefined) =>
      asked === undefined || addresses.some((address) => address.toLowerCase() === asked.toLowerCase());
    return answer.rejections
      .filter(({ sender, recipients }) => isIn([sender], from) && isIn(recipients, to))
      .slice(0, limit);
  }

  /** All matching mails as one file. */
  async export(format: "mbox" | "zip", filter: MailFilter = {}): Promise<ReadableStream<Uint8Array>> {
    // An empty file would not show that the search was not understood. count() throws then.
    if (narrow(this.#scope, filter).q !== undefined) await this.count(filter);
    const query: Parameter[] = [["format", format], ...(await this.#parameters(filter))];
    return this.#transport.stream("/api/v1/export", `application/${format}`, { query });
  }

  /** Sends a request to a path such as `/api/v1/messages`, with the credentials of this inbox. */
  fetch(path: string, init?: RequestInit): Promise<Response> {
    if (!path.startsWith("/")) throw new TypeError(`the path must begin with a slash: '${path}'`);
    return this.#transport.fetch(path, init);
  }

  async health(options: { signal?: AbortSignal } = {}): Promise<api.HealthReport | api.FailingHealthReport> {
    return this.#transport.json("/api/v1/health", "checks", { ...options, accept: [503] });
  }

  /**
   * Only `from` and `to` are known before a mail exists. Throws for other filters, because ignoring
   * them would match too much.
   */
  #envelopeScope(method: string): Pick<MailFilter, "from" | "to"> {
    const { from, to, since, ...others } = this.#scope;
    const names = Object.keys(since === undefined || since === "all" ? others : { ...others, since });
    if (names.length > 0) {
      throw new TypeError(
        `${method}() supports only from and to, but this inbox is also narrowed by ${names.join(", ")}`,
      );
    }
    return { ...(from !== undefined && { from }), ...(to !== undefined && { to }) };
  }

  #asked(given: MailFilter, hint: string | null, timeoutMs: number): Asked {
    const filter = narrow(this.#scope, given);
    const isSinceConnect = filter.since === undefined && this.#beginning.isConnect;
    return { filter, isSinceConnect, hint, timeoutMs };
  }

  async #parameters(filter: MailFilter, signal?: AbortSignal): Promise<Parameter[]> {
    const { since: asked, ...others } = narrow(this.#scope, filter);
    const since = await this.#beginning.since(asked, signal);
    return filterParameters(since === undefined ? others : { ...others, since });
  }

  async #remove(filter: MailFilter): Promise<number> {
    const query = await this.#parameters(filter);
    const answer = await this.#transport.send("/api/v1/messages", { method: "DELETE", query });
    const { deleted } = this.#transport.read<api.DeletedCount>(answer, "deleted");
    assertUnderstood(deleted > 0, answer.hint);
    return deleted;
  }
}

export type OwnInbox = Inbox & Ownership;
