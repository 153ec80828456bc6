// Who sent a request, what they may do, and which mail the request is about. Plugins set this before a route runs.
import type { Caller, Role } from "../model/index.ts";
import type { Scope } from "../store/index.ts";
import { notFound, Problem, quote } from "./problem.ts";

const callers = new WeakMap<Request, Caller>();

export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error("the request did not pass the access plugin");
  return caller;
}

/** The inbox in the path, otherwise all inboxes that the caller may see; null for all mail. */
export const scopeOf = (request: Request): Scope => callerOf(request).inboxes;

/** Whether the route also exists below `/api/v1/inboxes/{inbox}`, limited to that inbox. */
export const isScoped = (path: string): boolean =>
  /^\/api\/v1\/(?:messages|assert|export|tags|ws|faults|rejections|send|info)(?:\/|$)/.test(path);

export const unknownInbox = (name: string) =>
  notFound("unknown_inbox", `No inbox has the name ${quote(name)}.`);

/**
 * What a route needs: a role, `inbox` or `all`. `inbox` is `write` for callers who see only some inboxes, and
 * `admin` for those who see all mail. `all` is `read`, but only for those who see all mail.
 */
export type Need = Role | "inbox" | "all";

const RANKS = { read: 0, all: 0, write: 1, admin: 2 } as const;

/** An admin of some inboxes counts as a writer. */
export function assertMay({ role, inboxes }: Caller, need: Need): void {
  if (need === "all" && inboxes !== null)
    throw new Problem(403, "forbidden", "This needs credentials that may see all inboxes.");
  const needed = need !== "inbox" ? need : inboxes === null ? "admin" : "write";
  const held: Role = role === "admin" && inboxes !== null ? "write" : role;
  if (RANKS[held] >= RANKS[needed]) return;
  const sentence = `This needs the role ${needed}; these credentials have the role ${held}.`;
  throw new Problem(403, "forbidden", sentence);
}
