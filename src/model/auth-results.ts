// What upstream servers recorded about SPF, DKIM, DMARC and ARC. Nothing is verified here.
import { type Static, Type } from "@sinclair/typebox";

const AuthResult = Type.Object(
  {
    status: Type.String({ description: "Result token in lower case, or `info`." }),
    details: Type.String({ description: "The parsed header text." }),
  },
  { $id: "AuthResult", additionalProperties: false },
);

export const AuthResults = Type.Object(
  {
    dkim: Type.Array(AuthResult),
    spf: Type.Array(AuthResult),
    dmarc: Type.Array(AuthResult),
    arc: Type.Array(AuthResult),
  },
  {
    $id: "AuthResults",
    additionalProperties: false,
    examples: [
      {
        dkim: [{ status: "pass", details: "dkim=pass header.d=example.com" }],
        spf: [{ status: "softfail", details: "spf=softfail smtp.mailfrom=shop@example.com" }],
        dmarc: [],
        arc: [],
      },
    ],
  },
);
export type AuthResults = Static<typeof AuthResults>;
