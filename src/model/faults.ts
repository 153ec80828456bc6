// The rules for deliberate SMTP faults, as `--fault`, the settings file and the API take them.
import { type Static, Type } from "@sinclair/typebox";
import { FAULT_STAGES } from "../lib/smtp.ts";
import { InboxName } from "./inbox.ts";
import { Closed, Count, Named, OneOf, pattern, size, span, Time } from "./schema.ts";

export const MAX_FAULT_RULES = 1000;

const atLeastOne = (description: string) =>
  Type.Optional(Type.Integer({ minimum: 1, maximum: 1_000_000_000, description }));

const fields = {
  name: Type.String({
    pattern: "^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$",
    description: "1 to 64 letters, digits, dots, dashes and underscores",
  }),
  at: OneOf(FAULT_STAGES, `${FAULT_STAGES.slice(0, -1).join(", ")} or end (of the message)`),
  from: pattern("the address of MAIL FROM"),
  to: pattern("the address of RCPT TO (at data and end, for one of them)"),
  client: pattern("the IP address of the client"),
  inbox: Type.Optional(
    Type.String({
      ...InboxName,
      description: "the name of an inbox: only its mail, as far as the inbox is known by then",
    }),
  ),
  header: pattern("at end: a header of the message, as in `X-Test: checkout*`, or its name alone"),
  first: atLeastOne("Only the first n that match."),
  after: atLeastOne("Only those after the first n that match."),
  every: atLeastOne("Only every nth that matches."),
  probability: Type.Optional(
    Type.Number({ minimum: 0, maximum: 1, description: "a number from 0 to 1: the share that is hit" }),
  ),
  seed: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 4_294_967_295,
      description: "Seed for `probability`: the same seed hits the same matches. Default 0.",
    }),
  ),
  times: atLeastOne("The rule ends after n hits."),
  expires: span("the time until the rule ends"),
  reply: Type.Optional(
    Closed(
      {
        code: Type.Integer({ minimum: 400, maximum: 599 }),
        enhanced: Type.Optional(
          Type.String({
            pattern: "^[45]\\.\\d{1,3}\\.\\d{1,3}$",
            description: "an enhanced status code such as 4.2.2",
          }),
        ),
        text: Type.Optional(
          Type.String({ maxLength: 400, pattern: "^[ -~]*$", description: "one line of ASCII" }),
        ),
      },
      { description: "an object such as { code: 450 }. After 421 the connection is closed." },
    ),
  ),
  delay: span("the time that the reply waits, at most 10m"),
  throttle: size("a size such as 1024 or 10k: the bytes read from the client each second from now on"),
  drop: Type.Optional(Type.Boolean({ description: "Closes the connection, after `reply` if there is one." })),
  rate_limit: atLeastOne("Only those beyond n per minute; 421 unless `reply` is given."),
  greylist: Type.Optional(
    Type.Boolean({
      description:
        "Only what comes for the first time from this client and sender to this recipient; 450 unless `reply` says otherwise.",
    }),
  ),
};

const EXAMPLE = { name: "busy", at: "rcpt", to: "ann@example.com", reply: { code: 450 }, times: 2 };

const IGNORED = "Ignored in requests, so that `PUT` takes the rules that `GET` lists.";

export const FaultRule = Named(
  "FaultRule",
  {
    ...fields,
    expires_at: Type.Optional(Type.String({ description: IGNORED })),
    hits: Type.Optional(Type.Integer({ description: IGNORED })),
  },
  EXAMPLE,
);
export type FaultRule = Static<typeof FaultRule>;

export const FaultRuleList = Named(
  "FaultRuleList",
  { rules: Type.Array(FaultRule, { maxItems: MAX_FAULT_RULES }) },
  { rules: [EXAMPLE] },
);
export type FaultRuleList = Static<typeof FaultRuleList>;

export const Fault = Named(
  "Fault",
  {
    ...fields,
    expires_at: Type.Optional(Type.String({ ...Time, description: "Only with `expires`." })),
    hits: Count("How often it was applied."),
  },
  { ...EXAMPLE, hits: 1 },
);
export type Fault = Static<typeof Fault>;

export const FaultList = Named("FaultList", {
  rules: Type.Array(Fault, {
    description: "In the order in which they are tried; at the end those that have expired.",
  }),
});
export type FaultList = Static<typeof FaultList>;
