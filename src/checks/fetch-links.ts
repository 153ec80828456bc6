// Requests links to see whether they work. A mail must not make us connect to private hosts: unless
// a host is allowed, all its addresses must be public, also after a redirect. We connect to a
// checked address, because another lookup could answer with a private address.
import { lookup } from "node:dns/promises";
import { connect, isIP, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { matchesTarget, unbracketed } from "../lib/hosts.ts";
import { inTime } from "../lib/runtime.ts";
import { systemReason } from "../lib/system-error.ts";
import { isPublicAddress } from "./hosts.ts";

interface FetchOptions {
  /** Hosts that may have private addresses: host, host:port, *.example.com or *. */
  readonly allow: readonly string[];
  readonly lookup?: (host: string) => Promise<readonly string[]>;
}

export type Fetched =
  | {
      readonly outcome: "answered";
      readonly status: number;
      readonly url: string;
      readonly redirects: number;
    }
  | { readonly outcome: "unreachable" | "refused" | "skipped"; readonly reason: string };

const MAX_LINKS = 100;
const AT_ONCE = 8;
const ONE_MS = 4000;
const ALL_MS = 8000;
const MAX_REDIRECTS = 5;
const MAX_HEAD_BYTES = 64 * 1024;
const REDIRECTS = [301, 302, 303, 307, 308];
/** After these answers to HEAD, GET is tried: some servers answer only GET with the page. */
const ASK_WITH_GET = [403, 404, 405, 501];

const lookUp = async (host: string) => (await lookup(host, { all: true })).map(({ address }) => address);

export async function fetchLinks(
  urls: readonly string[],
  options: FetchOptions,
): Promise<Map<string, Fetched>> {
  const found = new Map<string, Fetched>();
  const waiting = urls.slice(0, MAX_LINKS);
  for (const url of urls.slice(MAX_LINKS)) found.set(url, skipped(`only ${MAX_LINKS} links are fetched`));
  const end = performance.now() + ALL_MS;
  const work = async () => {
    for (let url = waiting.shift(); url !== undefined; url = waiting.shift()) {
      const left = Math.min(ONE_MS, end - performance.now());
      const answer = left > 0 ? inTime(follow(url, options), left, tooLate).catch(failed) : NO_TIME;
      found.set(url, await answer);
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return found;
}

const skipped = (reason: string): Fetched => ({ outcome: "skipped", reason });

const NO_TIME = skipped("there was no time left for it");
const tooLate = () => new Error("no answer in time");
const failed = (error: unknown): Fetched => ({ outcome: "unreachable", reason: systemReason(error) });

async function follow(first: string, options: FetchOptions): Promise<Fetched> {
  let url = new URL(first);
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects++) {
    if (!/^https?:$/.test(url.protocol))
      return { outcome: "unreachable", reason: `it leads to ${url.protocol}` };
    const address = await allowedAddress(url, options);
    if (address === null) return { outcome: "refused", reason: `${url.hostname} is not public` };
    let answer = await request("HEAD", url, address);
    if (ASK_WITH_GET.includes(answer.status)) answer = await request("GET", url, address);
    const next =
      REDIRECTS.includes(answer.status) && answer.location ? URL.parse(answer.location, url.href) : null;
    if (next === null) return { outcome: "answered", status: answer.status, url: url.href, redirects };
    url = next;
  }
  return { outcome: "unreachable", reason: `more than ${MAX_REDIRECTS} redirects` };
}

const portOf = ({ port, protocol }: URL) => Number(port) || (protocol === "https:" ? 443 : 80);

export const isAllowed = (url: URL, allow: readonly string[]) =>
  allow.some((pattern) => matchesTarget(pattern, unbracketed(url.hostname), portOf(url)));

/** Null if one of the host's addresses is private and the host is not allowed. */
async function allowedAddress(url: URL, { allow, lookup = lookUp }: FetchOptions): Promise<string | null> {
  const host = unbracketed(url.hostname);
  const addresses = isIP(host) ? [host] : await lookup(host);
  if (!isAllowed(url, allow) && !addresses.every(isPublicAddress)) return null;
  return addresses[0] ?? null;
}

/** Interim answers such as 103, which come before the final answer (RFC 9110, 15.2). */
const INTERIM = /^(?:HTTP\/1\.\d 1\d\d[\s\S]*?\r\n\r\n)+/;

interface Head {
  readonly status: number;
  readonly location: string | undefined;
}

/** Closes the connection after the header of the answer. */
function request(method: "HEAD" | "GET", url: URL, address: string): Promise<Head> {
  const { promise, resolve, reject } = Promise.withResolvers<Head>();
  const host = unbracketed(url.hostname);
  const target = { host: address, port: portOf(url) };
  const send = () =>
    socket.write(
      `${method} ${url.pathname}${url.search} HTTP/1.1\r\nHost: ${url.host}\r\nUser-Agent: mailkeep\r\nAccept: */*\r\nConnection: close\r\n\r\n`,
    );
  const socket: Socket =
    url.protocol === "https:"
      ? connectTls({ ...target, ...(isIP(host) ? {} : { servername: host }) }, send)
      : connect(target, send);
  let head = "";
  const timer = setTimeout(() => socket.destroy(tooLate()), ONE_MS);
  socket.on("data", (chunk: Buffer) => {
    head = (head + chunk.toString("latin1")).replace(INTERIM, "");
    const end = head.indexOf("\r\n\r\n");
    if (end < 0 && head.length < MAX_HEAD_BYTES) return;
    const [, status] = /^HTTP\/1\.\d (\d{3})/.exec(head) ?? [];
    const [, location] = /^location:[ \t]*(.*?)[ \t]*$/im.exec(head.slice(0, end)) ?? [];
    if (end < 0 || status === undefined) reject(new Error("the server does not speak HTTP"));
    else resolve({ status: Number(status), location });
    socket.destroy();
  });
  socket.on("error", reject);
  socket.on("close", () => {
    clearTimeout(timer);
    reject(new Error("the connection was closed without an answer"));
  });
  return promise;
}
