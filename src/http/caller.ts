// Who has sent a request. The access plugin finds it out once, before any route runs.
import type { Caller } from "../model/index.ts";

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

/** For a request that takes the place of another one. */
export function inPlaceOf(request: Request, replacement: Request): Request {
  const caller = callers.get(request);
  if (caller !== undefined) callers.set(replacement, caller);
  return replacement;
}
