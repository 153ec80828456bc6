// The findings of the checks: HTML support, links, authentication, content, accessibility, spam.
import { type Static, Type } from "@sinclair/typebox";
import { Closed, Named, OneOf, OrNull } from "./schema.ts";

/** In the order of a report. */
export const CHECK_NAMES = ["html", "links", "auth", "content", "accessibility", "spam"] as const;
export type CheckName = (typeof CHECK_NAMES)[number];

const Place = Type.Union(
  [
    Closed({ line: Type.Integer({ minimum: 1 }), column: Type.Integer({ minimum: 1 }) }),
    Closed({ header: Type.String() }),
    Closed({ part: Type.String() }),
    Type.Null(),
  ],
  {
    description:
      "Line and column in `html_body`, both from 1; or a header; or a part, by its file name or type; or null.",
  },
);

export const CheckFinding = Named("CheckFinding", {
  rule: Type.String({ examples: ["image-alt"] }),
  severity: OneOf(["error", "warning", "info"], "How bad it is."),
  message: Type.String({ description: "What is wrong, in a sentence." }),
  help: Type.String({ description: "How to repair it." }),
  where: Place,
  clients: Type.Optional(
    Type.Array(Type.String(), { description: "Only of `html`: the mail clients that do not support it." }),
  ),
  points: Type.Optional(Type.Number({ description: "Only of `spam`: what the engine gives for this rule." })),
});
export type CheckFinding = Static<typeof CheckFinding>;

export const Check = Named("Check", {
  name: OneOf(CHECK_NAMES, "Which check this is."),
  status: OneOf(
    ["pass", "warn", "fail", "off"],
    "`fail` with an error among the findings, `warn` with a warning, `off` if it could not run.",
  ),
  score: OrNull(
    Type.Number(),
    "0 to 100, more is better; of `spam` the engine's points, less is better; null without a result.",
  ),
  summary: Type.String({ description: "The outcome in a sentence." }),
  findings: Type.Array(CheckFinding),
});
export type Check = Static<typeof Check>;

export const CheckReport = Named("CheckReport", {
  checks: Type.Array(Check, { description: "In the order of the values of `only`." }),
});
export type CheckReport = Static<typeof CheckReport>;

const records = (description: string) =>
  Type.Optional(Type.Array(Type.String({ maxLength: 65_535 }), { maxItems: 100, description }));

const DnsNode = Closed(
  {
    TXT: records("Each record as one string."),
    A: records("IPv4 addresses."),
    AAAA: records("IPv6 addresses."),
    MX: records("Preference and host, such as `10 mx.example.com`."),
    CNAME: records("One host name."),
    PTR: records("Host names."),
  },
  { description: "an object with arrays of strings under TXT, A, AAAA, MX, CNAME or PTR" },
);

export const DnsRecords = Type.Record(Type.String(), DnsNode, {
  description: "an object of records by their name, such as sel._domainkey.example.com",
});
export type DnsRecords = Static<typeof DnsRecords>;

export const CheckRequest = Named(
  "CheckRequest",
  { dns: DnsRecords },
  { dns: { "sel._domainkey.example.com": { TXT: ["v=DKIM1; k=rsa; p=MIGf…"] } } },
);
export type CheckRequest = Static<typeof CheckRequest>;
