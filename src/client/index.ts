// The entry of `mailkeep/client`. connect() takes a URL, MAILKEEP_URL or the default of `serve`.
import { refuseBlank, refuseUnknown, type Since } from "./filter.ts";
import { Inbox } from "./inbox.ts";
import { beginAt } from "./time.ts";
import { Transport } from "./transport.ts";

export {
  describeBounds,
  describeMail,
  ExpectationError,
  MailkeepError,
  UnreachableError,
} from "./errors.ts";
export { describeFilter, type MailFilter, type Since } from "./filter.ts";
export type { CountExpectation, Inbox, OwnInbox, WaitOptions } from "./inbox.ts";
export type { CheckOptions, Mail, MailAddress, MailAttachment, MailContent } from "./mail.ts";
export type { CreateInboxOptions, FaultOptions, InjectedFault, Tokens } from "./setup.ts";
export { type SnapshotOptions, type SnapshotSource, snapshotOf } from "./snapshot.ts";
export type { TimeSpan } from "./time.ts";
export type { Subscription } from "./transport.ts";
export type * from "./types.ts";

const DEFAULT_URL = "http://127.0.0.1:8025";

export interface ConnectOptions {
  readonly url?: string;
  /** A token (`mk_…`). By default MAILKEEP_TOKEN if the address has no login; null for none. */
  readonly token?: string | null | undefined;
  /** Only the mail of this inbox. */
  readonly inbox?: string;
  /**
   * `"all"`, or only mail that came after a time, after the mail with this id, or within a span such as `"10m"`. By
   * default, mail that arrives after connect().
   */
  readonly since?: Since;
}

interface MaybeProcess {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** Undefined if the variable is empty or not set, in a browser, or if the runtime denies access. */
function fromEnvironment(name: "MAILKEEP_URL" | "MAILKEEP_TOKEN"): string | undefined {
  try {
    return (globalThis as MaybeProcess).process?.env?.[name] || undefined;
  } catch {
    return undefined;
  }
}

/** `connect()`, `connect("https://user:password@mail.test")`, `connect({ since: "all" })` */
export function connect(given: string | ConnectOptions = {}, ...more: never[]): Inbox {
  if (more.length > 0) throw new TypeError("connect takes an address or options: connect({ url, inbox })");
  const options = typeof given === "object" && given !== null ? given : { url: given };
  refuseUnknown(options, ["url", "token", "inbox", "since"]);
  refuseBlank(options, ["inbox"]);
  const { url = fromEnvironment("MAILKEEP_URL") ?? DEFAULT_URL, since } = options;
  const hasCredentials = /^https?:\/\/[^/]*@/i.test(url);
  const { token = hasCredentials ? undefined : fromEnvironment("MAILKEEP_TOKEN") } = options;
  // An empty variable of the caller must not mean "no token".
  if (token === "") throw new TypeError("token is empty: give a token or leave it out");
  const transport = new Transport(url, token ?? undefined, options.inbox);
  return new Inbox(transport, beginAt(transport, since));
}
