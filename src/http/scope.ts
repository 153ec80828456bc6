// Which inboxes a request is about: the one in its path, otherwise all that the caller may see.
import type { Scope } from "../store/index.ts";
import { Problem, quote } from "./problem.ts";

const scopes = new WeakMap<Request, Scope>();

export function setScope(request: Request, scope: Scope): void {
  scopes.set(request, scope);
}

/** Null for all mail. */
export function scopeOf(request: Request): Scope {
  const scope = scopes.get(request);
  if (scope === undefined) throw new Error("nobody has said whose mail this request is about");
  return scope;
}

/** The routes that respect the scope. Only these exist below an inbox. */
const SCOPED = /^\/api\/v1\/(?:messages|assert|export|tags|ws|faults|rejections|send|info)(?:\/|$)/;

export const isScoped = (path: string): boolean => SCOPED.test(path);

export const unknownInbox = (name: string) =>
  new Problem(404, "unknown_inbox", `No inbox has the name ${quote(name)}.`);
