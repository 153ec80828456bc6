// HTTP by fetch alone: the address, credentials, and answers that are errors.
import { answerInTime } from "./answer-deadline.ts";
import { MailkeepError, UnreachableError } from "./errors.ts";

export type Parameter = [name: string, value: string];

export interface RequestOptions {
  readonly method?: "GET" | "PATCH" | "DELETE";
  readonly query?: readonly Parameter[];
  readonly json?: unknown;
  readonly signal?: AbortSignal | undefined;
  /** How long the server is asked to wait before it answers. */
  readonly waitMs?: number;
  /** Statuses beyond 2xx that the caller understands. */
  readonly accept?: readonly number[];
}

export interface ReadOptions<Answer> {
  /** An answer without it is not Mailkeep's. */
  readonly proof?: keyof Answer & string;
  /** The request's own. */
  readonly signal?: AbortSignal | undefined;
}

function parseUrl(given: string): URL {
  if (/^https?:\/\//i.test(given) && URL.canParse(given)) return new URL(given);
  const shown = given.replace(/^([a-z][a-z\d+.-]*:\/\/)?.*@/is, "$1…@");
  throw new TypeError(
    `'${shown}' is no address of a Mailkeep; expected something like http://127.0.0.1:8025`,
  );
}

const base64 = (text: string) => btoa(String.fromCharCode(...new TextEncoder().encode(text)));

/** The codes of Bun and of Node for what can be said more plainly. */
const REASONS: readonly (readonly [code: RegExp, reason: string])[] = [
  [/refused/i, "connection refused"],
  [/^(?:ECONNRESET|EPIPE|UND_ERR_SOCKET)$/, "the connection was lost"],
  [/^(?:Malformed_HTTP_Response$|HPE_)/, "what answers there does not speak HTTP"],
];

/** Why nobody answered. Node hides it in the cause; Bun adds advice that does not help here. */
function reasonOf(error: unknown): unknown {
  const origin = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  const code = String(Object(origin).code);
  return REASONS.find(([known]) => known.test(code))?.[1] ?? origin;
}

const UNAUTHORIZED = 401;

/** Another web server answers, or a proxy before ours. */
const isForeign = (url: string, what: string, status: number) =>
  new MailkeepError(
    `${url} answered ${what}, which Mailkeep would not. Is this its address?`,
    "unexpected_answer",
    status,
  );

async function errorOf(response: Response, hasCredentials: boolean): Promise<MailkeepError> {
  const { status, url } = response;
  const body = await response.json().catch(() => null);
  const { error, code } = Object(body);
  if (status === UNAUTHORIZED) {
    const advice = hasCredentials
      ? "it refuses the user and password of its address"
      : "it asks for user and password: give them in its address, as in http://user:password@host:8025";
    return new MailkeepError(`${new URL(url).origin} answered 401: ${advice}.`, "unauthorized", status);
  }
  if (typeof error !== "string" || typeof code !== "string") return isForeign(url, String(status), status);
  return new MailkeepError(error, code, status);
}

export class Transport {
  /** Without credentials and without a slash at its end. */
  readonly url: string;
  readonly #headers: Record<string, string>;
  readonly #credentials: string;

  /** `http://user:password@host` sends the credentials of `--http-auth`. */
  constructor(given: string) {
    const url = parseUrl(given);
    const { username, password } = url;
    this.#credentials = username && `${username}:${password}@`;
    const pair = `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
    this.#headers = username ? { authorization: `Basic ${base64(pair)}` } : {};
    this.url = `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  }

  webSocketUrl(path: string): string {
    return `${this.url}${path}`.replace(/^http(s?):\/\//, `ws$1://${this.#credentials}`);
  }

  async send(path: string, options: RequestOptions = {}): Promise<Response> {
    const { method = "GET", query = [], json, signal, waitMs = 0, accept = [] } = options;
    const search = query.length > 0 ? `?${new URLSearchParams([...query])}` : "";
    const hasBody = json !== undefined;
    let response: Response;
    try {
      response = await answerInTime(waitMs, signal, (inTime) =>
        fetch(`${this.url}${path}${search}`, {
          method,
          headers: { ...this.#headers, ...(hasBody && { "content-type": "application/json" }) },
          ...(hasBody && { body: JSON.stringify(json) }),
          signal: inTime,
        }),
      );
    } catch (error) {
      if (signal?.aborted) throw error;
      throw new UnreachableError(this.url, reasonOf(error));
    }
    if (response.ok || accept.includes(response.status)) return response;
    throw await errorOf(response, this.#credentials !== "");
  }

  async json<Answer>(path: string, options: RequestOptions = {}): Promise<Answer> {
    return this.read(await this.send(path, options), { signal: options.signal });
  }

  /** The JSON of an answer. A server that stops in the middle of it is one that does not answer. */
  async read<Answer>(response: Response, { proof, signal }: ReadOptions<Answer> = {}): Promise<Answer> {
    const text = await response.text().catch((error) => {
      throw signal?.aborted ? error : new UnreachableError(this.url, reasonOf(error));
    });
    const { url, status } = response;
    let answer: Answer;
    try {
      answer = JSON.parse(text);
    } catch {
      throw isForeign(url, "with something that is not JSON", status);
    }
    if (proof === undefined || Object.hasOwn(Object(answer), proof)) return answer;
    throw isForeign(url, `without '${proof}'`, status);
  }

  async bytes(path: string): Promise<Uint8Array> {
    return new Uint8Array(await (await this.send(path)).arrayBuffer());
  }
}
