// Limits a request to the mail of an inbox. A path below `/api/v1/inboxes/{inbox}/` leads to the same route as without
// the inbox, but the route sees only the mail of this inbox.
import { Elysia } from "elysia";
import type { Inboxes } from "../../app/index.ts";
import { percentDecoded } from "../../lib/text.ts";
import { isWithin, type MailView } from "../../store/index.ts";
import { pathOf, startOfPath, withUrl } from "../base-path.ts";
import { callerOf, isScoped, scopeOf, setCaller, unknownInbox } from "../caller.ts";
import { known } from "../problem.ts";
import { wrapFetch } from "./answer.ts";
import { problemResponse } from "./errors.ts";

const BELOW_INBOX = /^\/api\/v1\/inboxes\/([^/]+)(\/.+)$/;

export function scoping(inboxes: Pick<Inboxes, "has">) {
  return wrapFetch("scope", async (request, next) => {
    const caller = callerOf(request);
    const path = pathOf(request.url);
    const [, name, rest] = BELOW_INBOX.exec(path) ?? [];
    if (name === undefined || !isScoped(`/api/v1${rest}`)) return next(request);
    const inbox = percentDecoded(name) ?? name;
    if (!isWithin(caller.inboxes, inbox) || !(await inboxes.has(inbox)))
      return problemResponse(unknownInbox(inbox));
    setCaller(request, { ...caller, inboxes: [inbox] });
    const start = startOfPath(request.url);
    const url = `${request.url.slice(0, start)}/api/v1${rest}${request.url.slice(start + path.length)}`;
    return next(withUrl(request, url));
  });
}

/** Answers 404 if the path has the id of a message outside the scope. The page is the same for every id. */
export function guardMessages(mailOf: (request: Request) => MailView) {
  return new Elysia({ name: "guard" }).onBeforeHandle({ as: "global" }, async ({ request, params, path }) => {
    const id = (params as { id?: string } | undefined)?.id;
    if (id === undefined || scopeOf(request) === null || path.startsWith("/messages/")) return;
    await known(id, mailOf(request).get(id));
  });
}
