// Inboxes: list them, create an inbox for a test run, and remove an inbox with its mail.
import { Type } from "@sinclair/typebox";
import {
  INBOX_NAME,
  INBOX_NAME_RULE,
  InboxList,
  InboxRequest,
  OpenedInbox,
  type ServiceInfo,
} from "../../model/index.ts";
import { callerOf, unknownInbox } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { jsonAnswer, problem, UNKNOWN_INBOX } from "../openapi/responses.ts";
import { hostnameOf } from "../origin.ts";
import { badRequest, Problem, quote } from "../problem.ts";
import { expiryOf } from "./access.ts";
import type { Dependencies } from "./dependencies.ts";

const invalidName = (name: string) =>
  badRequest("invalid_inbox_name", `The name of an inbox must be ${INBOX_NAME_RULE}, not ${quote(name)}.`);

const isDeclared = (name: string) =>
  new Problem(
    409,
    "inbox_declared",
    `The settings of the server declare the inbox ${quote(name)}; it cannot be changed or removed here.`,
  );

const inboxExists = (name: string) =>
  new Problem(412, "inbox_exists", `An inbox named ${quote(name)} already exists: choose another name.`);

const REFUSED = {
  ...problem("The name, or something in the body, is malformed.", invalidName("CI 42")),
  ...problem("The settings of the server declare it.", isDeclared("default")),
};

const NAME = new RegExp(INBOX_NAME);
const EVERY_ADDRESS = /^(?:0\.0\.0\.0|::)$/;

export function inboxes({ inboxes, facts, now }: Dependencies) {
  /** If the server listens on all addresses, the client gets the host that it used for HTTP. */
  const smtpFor = ({ headers }: Request): ServiceInfo["smtp"] => {
    const { host, port } = facts.smtp();
    return { host: EVERY_ADDRESS.test(host) ? hostnameOf(headers.get("host") ?? "localhost") : host, port };
  };
  const refuseDeclared = (name: string) => {
    if (inboxes.isDeclared(name)) throw isDeclared(name);
  };
  return routes(
    "Inboxes",
    route("listInboxes", "GET /api/v1/inboxes", "read", {
      summary: "The inboxes that you may see, with counts",
      responses: { 200: jsonAnswer("The inboxes.", InboxList) },
      answer: async ({ request }): Promise<InboxList> => {
        const seen = await inboxes.list(callerOf(request).inboxes);
        const ports = facts.inboxPorts();
        return {
          inboxes: seen.map((inbox) => {
            const port = ports.get(inbox.name);
            return port === undefined ? inbox : { ...inbox, port };
          }),
        };
      },
    }),
    route("putInbox", "PUT /api/v1/inboxes/:inbox", "admin", {
      summary: "Create an inbox, or change its settings",
      description:
        "Every route of messages, content, testing, faults and events also exists below `/api/v1/inboxes/{inbox}/…`, for " +
        "this inbox alone. Its token sees only the mail of this inbox. For a new inbox the answer is 201 with the token, which " +
        "is also the password for SMTP; for an existing inbox it is 200 without the token. Settings that the body leaves out are " +
        "removed. With `If-None-Match: *` an existing inbox is not changed, and the answer is 412.",
      body: Type.Optional(InboxRequest),
      responses: {
        200: jsonAnswer("The inbox existed; these are its settings now.", OpenedInbox),
        201: jsonAnswer("It is new.", OpenedInbox),
        ...REFUSED,
        ...problem("The inbox existed, and `If-None-Match: *` was sent.", inboxExists("ci-42")),
      },
      answer: async ({ request, params: { inbox: name }, body = {}, set }): Promise<OpenedInbox> => {
        if (!NAME.test(name)) throw invalidName(name);
        refuseDeclared(name);
        const { expires, ...settings } = body;
        const expiresAt = expires === undefined ? null : expiryOf(expires, now());
        const mustBeNew = request.headers.get("if-none-match")?.trim() === "*";
        const { token, ...opened } = await inboxes.put(name, settings, expiresAt, { mustBeNew });
        if (mustBeNew && token === null) throw inboxExists(name);
        if (token !== null) set.status = 201;
        return {
          name,
          ...opened,
          address: inboxes.addressOf(name),
          smtp: { ...smtpFor(request), username: name, ...(token !== null && { password: token }) },
          ...(token !== null && { token }),
        };
      },
    }),
    route("deleteInbox", "DELETE /api/v1/inboxes/:inbox", "admin", {
      summary: "Remove an inbox with its mail, tokens and faults",
      responses: {
        204: { description: "It is gone." },
        ...REFUSED,
        ...UNKNOWN_INBOX,
      },
      answer: async ({ params: { inbox: name } }) => {
        refuseDeclared(name);
        if (!(await inboxes.remove(name))) throw unknownInbox(name);
      },
    }),
  );
}
