// Requests with fetch, and events over a WebSocket: address, credentials, errors.
import { assertUnderstood, MailkeepError, UnreachableError } from "./errors.ts";
import type { Parameter } from "./filter.ts";
import type { InboxEvent, ServiceInfo } from "./types.ts";

export interface RequestOptions {
  readonly method?: "GET" | "POST" | "PUT" | "PATCH" | "DELETE";
  readonly query?: readonly Parameter[];
  readonly json?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
  /** Statuses besides 2xx that `send` returns instead of throwing an error. */
  readonly accept?: readonly number[];
}

export interface WholeAnswer {
  readonly ok: boolean;
  readonly status: number;
  readonly url: string;
  /** The server's hint about a search that it did not understand or that is too large. */
  readonly hint: string | null;
  readonly bytes: Uint8Array<ArrayBuffer>;
}

function parseUrl(given: string): URL {
  if (/^https?:\/\//i.test(given) && URL.canParse(given)) return new URL(given);
  const shown = String(given).replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1…@");
  throw new TypeError(`'${shown}' is not a Mailkeep address; expected something like http://127.0.0.1:8025`);
}

function decoded(part: string): string {
  try {
    return decodeURIComponent(part);
  } catch {
    throw new TypeError("write % as %25 in the user and password of an address");
  }
}

/** Removed from a given address: people may give the API's address instead of the server's. */
const API_PATH = /(?:\/api\/v1)?\/*$/;

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/refused/i, "connection refused"],
  [/^(?:ENOTFOUND|EAI_AGAIN)$/, "the host name is not known"],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was lost"],
  [/^(?:Malformed_HTTP_Response$|HPE_)/, "the server there does not speak HTTP"],
  [
    /SELF_SIGNED_CERT|^UNABLE_TO_(?:GET|VERIFY)/,
    "its certificate is not trusted; set NODE_EXTRA_CA_CERTS to a file with the certificate that signed it",
  ],
  [/CERT_ALTNAME_INVALID$/, "its certificate is for another name"],
];

/** Why nobody answered. Node hides that in `cause`; Bun adds advice that does not help here. */
function reasonOf(error: unknown): unknown {
  const origin = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = String(Object(origin).code);
  return REASONS.find(([known]) => known.test(code))?.[1] ?? origin;
}

/** Jest's jsdom hides the fetch of Node. */
function failureOf(url: string, error: unknown): MailkeepError {
  if (typeof fetch === "function") return new UnreachableError(url, reasonOf(error));
  const advice = "With Jest's jsdom, begin the test file with /** @jest-environment node */.";
  return new MailkeepError(`This test environment has no fetch. ${advice}`, "no_fetch");
}

const UNAUTHORIZED = 401;

function parsed(bytes: Uint8Array): unknown {
  try {
    return JSON.parse(new TextDecoder().decode(bytes));
  } catch {
    return undefined;
  }
}

/** Statuses of a proxy that got no answer from Mailkeep. */
const GATEWAY_ERRORS: readonly number[] = [502, 503, 504];

/** For an answer of another web server, or of a proxy. */
const foreignAnswer = (url: string, what: string, status: number) =>
  new MailkeepError(
    GATEWAY_ERRORS.includes(status)
      ? `${url} answered ${status}: a proxy could not reach Mailkeep, or did not wait for its answer.`
      : `${url} answered ${what}, which is not an answer of Mailkeep. Is the address right?`,
    "unexpected_answer",
    status,
  );

function errorOf({ status, url, bytes }: WholeAnswer, hasCredentials: boolean): MailkeepError {
  const { error, code } = Object(parsed(bytes));
  if (status === UNAUTHORIZED) {
    const advice = hasCredentials
      ? "the user and password in the address, or the token, are wrong or no longer valid (the token of an inbox ends when the inbox is removed)"
      : "it requires credentials: give a token, or put user and password into the address, as in http://user:password@host:8025";
    return new MailkeepError(`${new URL(url).origin} answered 401: ${advice}.`, "unauthorized", status);
  }
  if (typeof error !== "string" || typeof code !== "string")
    return foreignAnswer(url, String(status), status);
  // People may give the address of a page instead of the server's address.
  const message = code === "unknown_path" ? `There is nothing at ${url}. Is this Mailkeep's address?` : error;
  return new MailkeepError(message, code, status);
}

/** fetch resolves `.` and `..`, even encoded: the path would lead to another route or all mail. */
export function inboxPath(name: string): string {
  if (name === "." || name === "..") throw new TypeError(`no inbox can have the name '${name}'`);
  return `/api/v1/inboxes/${encodeURIComponent(name)}`;
}

/** The routes that also exist for each inbox. */
const OF_MAIL = /^\/api\/v1\/(?=(?:messages|assert|export|tags|ws|faults|rejections|send|info)\b)/;

export interface Subscription {
  close(): void;
  /** Resolves when the connection has ended, on either side. */
  readonly closed: Promise<void>;
}

export class Transport {
  /** Without credentials and without a slash at its end. */
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #credentials: string;
  /** Where the routes of the inbox begin; empty for all mail. */
  readonly #inboxPath: string;

  /**
   * Requests are sent with the token, or else with the login in `given`. `inbox` limits requests
   * about mail to one inbox.
   */
  constructor(given: string, token?: string, inbox?: string) {
    this.#inboxPath = inbox === undefined ? "" : inboxPath(inbox);
    const url = parseUrl(given);
    // A browser's WebSocket sends only a login. The server accepts a token as any user's password.
    const [username, password] = token === undefined ? [url.username, url.password] : ["token", token];
    this.#credentials = username && `${username}:${password}@`;
    const pair = `${decoded(username)}:${decoded(password)}`;
    this.#headers = username ? { authorization: `Basic ${base64(pair)}` } : {};
    if (token !== undefined) this.#headers = { authorization: `Bearer ${token}` };
    this.url = `${url.origin}${url.pathname}`.replace(API_PATH, "");
  }

  /** Resolves when connected: no event after that is missed. */
  async subscribe(onEvent: (event: InboxEvent) => void): Promise<Subscription> {
    if (typeof WebSocket === "undefined") {
      throw new MailkeepError(
        "subscribe() needs a WebSocket; Node has one from version 22 on.",
        "no_websocket",
      );
    }
    const socket = this.#openWebSocket();
    const opened = new Promise<true>((resolve) => socket.addEventListener("open", () => resolve(true)));
    const closed = new Promise<void>((resolve) => {
      socket.addEventListener("close", () => resolve());
      // If the connection fails, Node 22 reports only this event.
      socket.addEventListener("error", () => resolve());
    });
    socket.addEventListener("message", ({ data }) => onEvent(JSON.parse(String(data)) as InboxEvent));
    if (!(await Promise.race([opened, closed]))) {
      // A WebSocket does not say why it was refused, so another request finds out.
      await this.json<ServiceInfo>("/api/v1/info", "name");
      throw new UnreachableError(this.url, "the WebSocket was refused");
    }
    return { close: () => socket.close(), closed };
  }

  #openWebSocket(): WebSocket {
    const address = this.#addressOf("/api/v1/ws").replace(/^http/, "ws");
    if (this.#credentials === "") return new WebSocket(address);
    try {
      // Node ignores credentials in an address, so they go into a header.
      return new WebSocket(address, { headers: this.#headers });
    } catch {
      // A browser throws, because it takes no headers. It sends the credentials of an address.
      return new WebSocket(address.replace("://", `://${this.#credentials}`));
    }
  }

  #addressOf(path: string): string {
    if (this.#inboxPath === "") return this.url + path;
    return this.url + path.replace(OF_MAIL, `${this.#inboxPath}/`);
  }

  /** The answer as it comes, whatever its status. */
  async fetch(path: string, init: RequestInit = {}): Promise<Response> {
    const headers = new Headers(init.headers);
    for (const [name, value] of Object.entries(this.#headers)) headers.set(name, value);
    try {
      return await fetch(this.#addressOf(path), { ...init, headers });
    } catch (error) {
      if (init.signal?.aborted) throw error;
      throw failureOf(this.url, error);
    }
  }

  async send(path: string, options: RequestOptions = {}): Promise<WholeAnswer> {
    const answer = await this.#wholeOf(await this.#request(path, options), options);
    assertUnderstood(true, answer.hint);
    if (answer.ok || options.accept?.includes(answer.status)) return answer;
    const refusal = errorOf(answer, this.#credentials !== "");
    assertUnderstood(refusal.code !== "no_match", answer.hint);
    throw refusal;
  }

  /** Returns the body as a stream. Throws if its type differs: then it is not from Mailkeep. */
  async stream(
    path: string,
    type: string,
    options: RequestOptions = {},
  ): Promise<ReadableStream<Uint8Array>> {
    const response = await this.#request(path, options);
    if (!response.ok) throw errorOf(await this.#wholeOf(response, options), this.#credentials !== "");
    const { url, status, headers, body } = response;
    const given = headers.get("content-type");
    // A proxy may add a charset.
    if (body && given?.split(";")[0]?.trim().toLowerCase() === type) return body;
    await body?.cancel();
    throw foreignAnswer(url, `with ${given ?? "something"} instead of ${type}`, status);
  }

  async json<Answer>(
    path: string,
    proof: keyof Answer & string,
    options: RequestOptions = {},
  ): Promise<Answer> {
    return this.read(await this.send(path, options), proof);
  }

  /** The JSON of an answer. An answer without the field `proof` is not from Mailkeep. */
  read<Answer>({ url, status, bytes }: WholeAnswer, proof: keyof Answer & string): Answer {
    const answer = parsed(bytes);
    if (answer === undefined) throw foreignAnswer(url, "with something that is not JSON", status);
    if (!Object.hasOwn(Object(answer), proof)) throw foreignAnswer(url, `without '${proof}'`, status);
    return answer as Answer;
  }

  async bytes(path: string): Promise<Uint8Array> {
    return (await this.send(path)).bytes;
  }

  #request(path: string, { method = "GET", query = [], json, headers, signal }: RequestOptions) {
    const search = query.length > 0 ? `?${new URLSearchParams([...query])}` : "";
    return this.fetch(`${path}${search}`, {
      method,
      headers: { ...headers, ...(json !== undefined && { "content-type": "application/json" }) },
      ...(json !== undefined && { body: JSON.stringify(json) }),
      ...(signal && { signal }),
    });
  }

  async #wholeOf(response: Response, { signal }: RequestOptions): Promise<WholeAnswer> {
    const { ok, status, url, headers } = response;
    const body = await response.arrayBuffer().catch((error) => {
      throw signal?.aborted ? error : failureOf(this.url, error);
    });
    return { ok, status, url, hint: headers.get("mailkeep-hint"), bytes: new Uint8Array(body) };
  }
}
