// What the page's state needs of a browser: an address, a width, a memory, and requests that go to a real
// Mailkeep. A bare import of this file stands before those of the state.
import { afterAll, beforeAll, beforeEach, setDefaultTimeout } from "bun:test";
import type { MessageList } from "../../../../src/model/index.ts";
import { floodBySmtp } from "../../../browser/support/flood.ts";
import { type Mailkeep, startMailkeep } from "../../../browser/support/mailkeep.ts";
import { until } from "../../../support/until.ts";

/** The page looks again after pauses of its own; a busy machine adds to them. */
const TEST_TIMEOUT_MS = 30_000;

const realFetch = globalThis.fetch;

/** Every request of the page since the test began, as `METHOD path`. */
export const requests: string[] = [];

export let mailkeep: Mailkeep;

let broken: { part: string; times: number; answer: () => Promise<Response> } | undefined;

/** The next so many such requests of the page, by method or address, fail: without an answer, or with this status. */
export function failNext(part: string, times = 1, status = 0): void {
  const answer = async () => {
    if (status === 0) throw new TypeError("connection reset");
    return Response.json({}, { status });
  };
  broken = { part, times, answer };
}

interface Late {
  readonly part: string;
  readonly isHeld: boolean;
  readonly onAsked: () => void;
  readonly answered: Promise<void>;
}

let late: Late | undefined;

/** The next such request of the page, by method or address, is answered by the server at once, and heard of only after `answer`. */
export function answerLate(part: string, isHeld = false) {
  const asked = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<void>();
  late = { part, isHeld, onAsked: asked.resolve, answered: answered.promise };
  return { asked: asked.promise, answer: answered.resolve };
}

/** The next such request of the page reaches the server only after `answer`. */
export const sendLate = (part: string) => answerLate(part, true);

async function answeredLate(path: string, init: RequestInit): Promise<Response> {
  const waiting = late;
  late = undefined;
  const ask = () => realFetch(mailkeep.http + path, init);
  const response = waiting?.isHeld ? undefined : await ask();
  waiting?.onAsked();
  await waiting?.answered;
  return response ?? ask();
}

const address = new URL("http://mailkeep.test/");
const goTo = (_state: unknown, _title: string, to: string) => {
  address.href = new URL(to, address).href;
};
const stored = new Map<string, string>();

const PRETENDED: Record<string, unknown> = {
  location: address,
  window: globalThis,
  Element: class {},
  history: { pushState: goTo, replaceState: goTo },
  matchMedia: () => ({ matches: false, addEventListener: () => {} }),
  localStorage: {
    getItem: (key: string) => stored.get(key) ?? null,
    setItem: (key: string, value: string) => stored.set(key, value),
  },
  fetch: (asked: string, init: RequestInit = {}) => {
    const { origin, pathname, search } = new URL(asked, address);
    if (origin !== address.origin) return realFetch(asked, init);
    const path = pathname + search;
    const request = `${init.method ?? "GET"} ${path}`;
    requests.push(request);
    if (broken && request.includes(broken.part) && broken.times-- > 0) return broken.answer();
    return late && request.includes(late.part)
      ? answeredLate(path, init)
      : realFetch(mailkeep.http + path, init);
  },
};
const real = Object.keys(PRETENDED).map(
  (name) => [name, Object.getOwnPropertyDescriptor(globalThis, name)] as const,
);

// Where the page looks at the browser while it is loaded.
pretend();
const { NO_FILTER } = await import("../../../../src/web/state/address.ts");
const { navigate } = await import("../../../../src/web/state/route.ts");
const { openDialog } = await import("../../../../src/web/state/layout.ts");
const { showRange } = await import("../../../../src/web/state/load-view.ts");
const { clearSelection, cursor } = await import("../../../../src/web/state/selection.ts");
const { hideToast, toasts } = await import("../../../../src/web/state/toasts.ts");
const { failing, tryNow } = await import("../../../../src/web/state/until-answered.ts");
stopPretending();

/** For the tests of one file. */
export function inPage(): void {
  setDefaultTimeout(TEST_TIMEOUT_MS);
  beforeAll(async () => {
    pretend();
    mailkeep = await startMailkeep();
  });
  beforeEach(async () => {
    requests.length = 0;
    broken = undefined;
    late = undefined;
    await startAnew();
  });
  afterAll(async () => {
    stopPretending();
    await mailkeep.stop();
  });
}

/** As on a page of its own: nothing is open, chosen, said or being tried again. */
async function startAnew(): Promise<void> {
  // Another list than the one that may be about to be looked at again.
  navigate({ id: undefined, tab: undefined, filter: { ...NO_FILTER, starred: true } });
  navigate({ filter: NO_FILTER });
  showRange(0, 30);
  clearSelection();
  cursor.value = undefined;
  openDialog.value = undefined;
  for (const { id } of toasts.peek()) hideToast(id);
  tryNow();
  await until(() => failing.peek() === 0);
}

function pretend(): void {
  for (const [name, value] of Object.entries(PRETENDED)) {
    Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
  }
}

function stopPretending(): void {
  for (const [name, property] of real) {
    if (property) Object.defineProperty(globalThis, name, property);
    else Reflect.deleteProperty(globalThis, name);
  }
}

/** Stores so many mails; their ids, newest first. */
export async function receive(count: number): Promise<string[]> {
  await ask("DELETE", "");
  for (let number = 1; number <= count; number++) await mailkeep.send({ subject: `Mail ${number}` });
  return mailkeep.ids();
}

/** Stores many mails in little time; their ids, newest first. */
export async function flood(count: number): Promise<string[]> {
  await ask("DELETE", "");
  await floodBySmtp(mailkeep.smtp, count);
  const ids: string[] = [];
  for (let cursor: string | null = ""; cursor !== null; ) {
    const path: string = `${mailkeep.http}/api/v1/messages?limit=200${cursor && `&before=${cursor}`}`;
    const page = (await (await realFetch(path)).json()) as MessageList;
    ids.push(...page.messages.map(({ id }) => id));
    cursor = page.next_cursor;
  }
  return ids;
}

/** A change by somebody else. */
export async function ask(method: string, path: string, body?: unknown): Promise<void> {
  await realFetch(`${mailkeep.http}/api/v1/messages${path}`, {
    method,
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
}

export async function tagsOf(id: string): Promise<string[]> {
  const response = await realFetch(`${mailkeep.http}/api/v1/messages/${id}`);
  return ((await response.json()) as { tags: string[] }).tags;
}
