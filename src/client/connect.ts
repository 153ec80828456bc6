// Where the mailbox is: the address given, MAILKEEP_URL, or the default of `mailkeep serve`.
import { Inbox } from "./inbox.ts";
import { Transport } from "./transport.ts";

const DEFAULT_URL = "http://127.0.0.1:8025";

interface MaybeProcess {
  readonly process?: { readonly env?: Readonly<Record<string, string | undefined>> };
}

/** Undefined in a browser, and where the runtime does not let us look. */
function urlFromEnvironment(): string | undefined {
  try {
    return (globalThis as MaybeProcess).process?.env?.MAILKEEP_URL || undefined;
  } catch {
    return undefined;
  }
}

/** `connect()`, `connect("http://127.0.0.1:8025")`, `connect("https://user:password@mail.test")` */
export function connect(url: string = urlFromEnvironment() ?? DEFAULT_URL): Inbox {
  return new Inbox(new Transport(url));
}
