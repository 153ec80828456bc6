// Requests to the server. A failed request throws an ApiFailure, whose message is for the user.
import type { ApiError } from "../../model/index.ts";

// Mailkeep may be served below a path such as /mail. The server has put that path into the page.
const home = globalThis.document?.documentElement.dataset.home ?? "/";

export const BASE_PATH = home.slice(0, -1);

/** The inbox of this page; empty for all mail. Opening another inbox loads the page again. */
export const INBOX = new URLSearchParams(globalThis.location?.search).get("inbox") ?? "";

/** Routes of the whole server: `apiUrl` puts no inbox in front of them. */
const OF_SERVER = /^\/(?:inboxes|me|tokens)\b/;

const MAX_KEPT_CHARACTERS = 32_000;
const FOREIGN = "The answer did not come from Mailkeep. A proxy may want you to log in again.";

export class ApiFailure extends Error {
  /** HTTP status of the answer; 0 if there is none. */
  readonly status: number;
  readonly code: string;

  constructor(status: number, code: string, message: string) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

export function apiUrl(path: string): string {
  const scope = INBOX === "" || OF_SERVER.test(path) ? "" : `/inboxes/${encodeURIComponent(INBOX)}`;
  return `${BASE_PATH}/api/v1${scope}${path}`;
}

export const request = (path: string, init: RequestInit = {}): Promise<Response> => send(apiUrl(path), init);

export async function send(path: string, init: RequestInit): Promise<Response> {
  // On a page opened as http://name:password@host, browsers refuse to fetch a relative address.
  const response = await fetch(location.origin + path, init).catch((cause: unknown) => {
    if (isAbort(cause)) throw cause;
    throw new ApiFailure(0, "unreachable", "The Mailkeep server cannot be reached.");
  });
  if (!response.ok) throw await failureOf(response);
  return response;
}

export async function getJson<T>(path: string, signal?: AbortSignal): Promise<T> {
  return readJson(await request(path, signal ? { signal } : {}));
}

/** Always reads the answer, because the connection is busy until then. */
export async function sendJson<T = unknown>(
  method: "PATCH" | "POST" | "PUT" | "DELETE",
  path: string,
  body?: unknown,
): Promise<T> {
  const json = body === undefined ? undefined : JSON.stringify(body);
  const response = await request(path, {
    method,
    // The request continues after the page is closed. Browsers allow that only for up to 64 KiB in all.
    keepalive: (json?.length ?? 0) < MAX_KEPT_CHARACTERS,
    ...(json !== undefined && { headers: { "Content-Type": "application/json" }, body: json }),
  });
  return readJson(response);
}

/** A proxy may answer 200 with its own login page. */
async function readJson<T>(response: Response): Promise<T> {
  try {
    return (await response.json()) as T;
  } catch (cause) {
    if (!(cause instanceof SyntaxError)) throw cause;
    throw new ApiFailure(response.status, "foreign", FOREIGN);
  }
}

export function isAbort(error: unknown): boolean {
  return error instanceof DOMException && error.name === "AbortError";
}

export function asFailure(error: unknown): ApiFailure {
  if (error instanceof ApiFailure) return error;
  return new ApiFailure(0, "unexpected", error instanceof Error ? error.message : String(error));
}

async function failureOf(response: Response): Promise<ApiFailure> {
  // The answer may come from a proxy, with JSON of another shape.
  const body = (await response.json().catch(() => null)) as Partial<ApiError> | null;
  const sentence = typeof body?.error === "string" ? body.error : `The server answered ${response.status}.`;
  return new ApiFailure(response.status, body?.code ?? "unknown", sentence);
}
