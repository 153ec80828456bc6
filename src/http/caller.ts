// Who sent a request, what they may do, and which mail it is about. Plugins find it out before any route runs.
import type { Caller, Role } from "../model/index.ts";
import type { Scope } from "../store/index.ts";
import { notFound, Problem, quote } from "./problem.ts";

const callers = new WeakMap<Request, Caller>();

export function setCaller(request: Request, caller: Caller): void {
  callers.set(request, caller);
}

/** Throws for a request that did not pass the access plugin: that is a bug. */
export function callerOf(request: Request): Caller {
  const caller = callers.get(request);
  if (caller === undefined) throw new Error("nobody has said who sent this request");
  return caller;
}

/** The inbox in the path, otherwise all inboxes that the caller may see; null for all mail. */
export const scopeOf = (request: Request): Scope => callerOf(request).inboxes;

/** The routes that respect the scope. Only these exist below an inbox. */
export const isScoped = (path: string): boolean =>
  /^\/api\/v1\/(?:messages|assert|export|tags|ws|faults|rejections|send|info)(?:\/|$)/.test(path);

export const unknownInbox = (name: string) =>
  notFound("unknown_inbox", `No inbox has the name ${quote(name)}.`);

/** `inbox`: writers may do it in their own inboxes; for all mail only admins may. */
export type Need = Role | "inbox";

const RANKS: Readonly<Record<Role, number>> = { read: 0, write: 1, admin: 2 };

/** Throws unless the caller may do this. An admin of some inboxes is a writer there. */
export function assertMay({ role, inboxes }: Caller, need: Need): void {
  const needed: Role = need === "inbox" ? (inboxes === null ? "admin" : "write") : need;
  const held: Role = role === "admin" && inboxes !== null ? "write" : role;
  if (RANKS[held] >= RANKS[needed]) return;
  const sentence = `This needs the role ${needed}; these credentials have the role ${held}.`;
  throw new Problem(403, "forbidden", sentence);
}
