// A plugin around the whole application: it sees every request first and every answer last, even without a route. An
// upgraded request has no answer.
import { Elysia } from "elysia";

type Answer = Response | undefined | Promise<Response | undefined>;
export type Next = (request: Request) => Answer;

export function wrapFetch(name: string, around: (request: Request, next: Next) => Answer) {
  return new Elysia({ name }).wrap((inner) => {
    const next = inner as unknown as Next;
    return ((request: Request) => around(request, next)) as unknown as typeof inner;
  });
}
