// Inboxes: how they are declared or created, and how the API shows them.
import { type Static, Type } from "@sinclair/typebox";
import { Closed, Count, Named, OrNull, pattern, size, span, Time } from "./schema.ts";

/** The inbox for mail that no rule puts into another one. It always exists. */
export const DEFAULT_INBOX = "default";

export const INBOX_NAME = "^[a-z0-9][a-z0-9._-]{0,62}$";
export const INBOX_NAME_RULE =
  "1 to 63 lower-case letters, digits, dots, dashes and underscores, the first of them a letter or a digit";

export const InboxName = Type.String({
  pattern: INBOX_NAME,
  description: INBOX_NAME_RULE,
  examples: ["ci-42"],
});

const limits = {
  max_messages: Type.Optional(
    Type.Integer({ minimum: 1, description: "Keep at most this many mails; the oldest go first." }),
  ),
  max_age: span("the age at which mail is deleted", { isPositive: true }),
  max_size: size("a size such as 50MiB: the most mail that is kept"),
};

// A pattern that can match no mail is refused, because it must be a mistake.
const NOT_BLANK = ".*\\S";
const FIELD_NAME = "[^\\s:]+\\s*(?::|$)";

const match = Type.Optional(
  Closed(
    {
      user: pattern("the user of SMTP AUTH (the inbox's own name always matches)", NOT_BLANK),
      recipient: pattern("the address of a recipient, as in `*@shop.example` or `*+shop@*`", NOT_BLANK),
      header: pattern("a header of the mail, as in `X-Project: shop`", FIELD_NAME),
    },
    { description: "an object that says which mail goes to this inbox besides mail that names it" },
  ),
);

/** An inbox as `--inbox`, or `[[inbox]]` in the settings file, declares it. */
const DeclaredInbox = Closed({
  name: InboxName,
  port: Type.Optional(
    Type.Integer({ minimum: 0, maximum: 65_535, description: "an SMTP port of its own; 0 for a free one" }),
  ),
  ...limits,
  match,
});
export type DeclaredInbox = Static<typeof DeclaredInbox>;
export const DeclaredInboxes = Type.Array(DeclaredInbox);
export type DeclaredInboxes = Static<typeof DeclaredInboxes>;

export const InboxRequest = Named(
  "InboxRequest",
  {
    expires: Type.Optional(
      Type.String({
        maxLength: 40,
        description:
          "a span of time from now, such as 2h, or a time: the inbox and its mail are then removed",
        examples: ["2h"],
      }),
    ),
    ...limits,
    match,
  },
  { expires: "2h", max_messages: 1000 },
);
export type InboxRequest = Static<typeof InboxRequest>;

const about = {
  name: InboxName,
  created_at: OrNull(Time, "`null` where it was not created by the API."),
  expires_at: OrNull(Time, "When it is removed with its mail; `null` for never."),
};

export const InboxState = Named("Inbox", {
  ...about,
  messages: Count(),
  unread: Count(),
  is_declared: Type.Boolean({
    description: "Declared in the settings, or `default`: it cannot be removed.",
  }),
  port: Type.Optional(Type.Integer({ description: "The SMTP port of its own, if it has one." })),
  keep: Closed(limits, { description: "Its own limits; those of the server hold, too." }),
});
export type InboxState = Static<typeof InboxState>;

export const InboxList = Named("InboxList", {
  inboxes: Type.Array(InboxState, { description: "By name; `default` comes first." }),
});
export type InboxList = Static<typeof InboxList>;

export const OpenedInbox = Named("OpenedInbox", {
  ...about,
  address: Type.String({ description: "Mail to this address comes here, as does all to `…+name@…`." }),
  smtp: Closed({
    host: Type.String(),
    port: Type.Integer(),
    username: Type.String(),
    password: Type.Optional(Type.String({ description: "The token; only when the inbox is new." })),
  }),
  token: Type.Optional(
    Type.String({ description: "Reads and changes the mail of this inbox alone; only when it is new." }),
  ),
});
export type OpenedInbox = Static<typeof OpenedInbox>;
