// Requests links to see whether they work. A mail must not make us connect to private hosts: unless
// a host is allowed, all its addresses must be public, also after a redirect. We connect to a
// checked address, because another lookup could answer with a private address.
import { lookup } from "node:dns/promises";
import http from "node:http";
import https from "node:https";
import { isIP, type LookupFunction } from "node:net";
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
const REDIRECTS = [301, 302, 303, 307, 308];

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
    // Some servers answer HEAD with an error, and only GET with the page.
    if (answer.status >= 400) answer = await request("GET", url, address);
    if (!REDIRECTS.includes(answer.status))
      return { outcome: "answered", status: answer.status, url: url.href, redirects };
    const next = answer.location ? URL.parse(answer.location, url.href) : null;
    if (next === null) return { outcome: "unreachable", reason: "it redirects to no valid address" };
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

/** Connects to the address, and closes the connection after the header of the answer. */
function request(method: "HEAD" | "GET", url: URL, address: string) {
  const { promise, resolve, reject } = Promise.withResolvers<{
    status: number;
    location: string | undefined;
  }>();
  const lookup: LookupFunction = (_host, _options, done) => done(null, [{ address, family: isIP(address) }]);
  const headers = { "user-agent": "mailkeep", accept: "*/*" };
  const asked = (url.protocol === "https:" ? https : http).request(
    url,
    { method, lookup, headers, agent: false, timeout: ONE_MS },
    ({ statusCode = 0, headers: { location } }) => {
      resolve({ status: statusCode, location });
      asked.destroy();
    },
  );
  asked.on("timeout", () => asked.destroy(tooLate()));
  asked.on("error", reject);
  asked.end();
  return promise;
}
