// What the page's state needs of a browser, before it is imported: an address, a width, and requests that go
// to a real Mailkeep. A bare import of this file stands before those of the state.
import { afterAll, beforeAll, beforeEach } from "bun:test";
import { type Mailkeep, startMailkeep } from "../../../browser/support/mailkeep.ts";

const realFetch = globalThis.fetch;
const before = new Map<string, PropertyDescriptor | undefined>();

/** Every request since the test began, as `METHOD path`. */
export const requests: string[] = [];

export let mailkeep: Mailkeep;

const stored = new Map<string, string>();

pretend("location", new URL("http://mailkeep.test/"));
pretend("window", globalThis);
pretend("history", { pushState: () => {}, replaceState: () => {} });
pretend("matchMedia", () => ({ matches: false, addEventListener: () => {} }));
pretend("localStorage", {
  getItem: (key: string) => stored.get(key) ?? null,
  setItem: (key: string, value: string) => stored.set(key, value),
  removeItem: (key: string) => stored.delete(key),
});
pretend("fetch", (path: string, init: RequestInit = {}) => {
  requests.push(`${init.method ?? "GET"} ${path}`);
  return realFetch(new URL(path, mailkeep.http), init);
});

beforeAll(async () => {
  mailkeep = await startMailkeep();
});

beforeEach(() => {
  requests.length = 0;
});

afterAll(async () => {
  await mailkeep.stop();
  for (const [name, property] of before) {
    if (property) Object.defineProperty(globalThis, name, property);
    else Reflect.deleteProperty(globalThis, name);
  }
});

function pretend(name: string, value: unknown): void {
  before.set(name, Object.getOwnPropertyDescriptor(globalThis, name));
  Object.defineProperty(globalThis, name, { value, configurable: true, writable: true });
}

/** Stores so many mails; their ids, newest first. */
export async function receive(count: number): Promise<string[]> {
  await ask("DELETE", "");
  for (let number = 1; number <= count; number++) await mailkeep.send({ subject: `Mail ${number}` });
  return mailkeep.ids();
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
