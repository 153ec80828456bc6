// Releasing a stored message to a real SMTP server.
import { type Static, Type } from "@sinclair/typebox";
import { Closed, Named, OneOf } from "./schema.ts";

/** No control characters or spaces: a request must not inject SMTP commands. */
const Address = Type.String({
  minLength: 1,
  maxLength: 1000,
  pattern: "^[^\\u0000-\\u0020\\u007f<>]+$",
  description: "an address without spaces, control characters and angle brackets",
});

/** The fields that each field needs: JSON Schema's `dependentRequired`, which TypeBox does not check. */
export const RELEASE_FIELD_NEEDS = {
  port: ["host"],
  username: ["host", "password"],
  password: ["host", "username"],
  tls: ["host"],
  tls_verify: ["host"],
} as const;

export const ReleaseRequest = Closed(
  {
    host: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        // A single colon, or one after a bracket, would begin a port.
        pattern: "^(?![^:]*:[^:]*$|.*\\]:)[^\\u0000-\\u0020\\u007f/@]+$",
        description: "the name or address of an SMTP server, its port in a field of its own",
      }),
    ),
    port: Type.Optional(Type.Integer({ minimum: 1, maximum: 65535, default: 25 })),
    to: Type.Optional(
      Type.Array(Address, { minItems: 1, maxItems: 1000, description: "Replaces the stored recipients." }),
    ),
    from: Type.Optional(
      Type.String({
        maxLength: 1000,
        pattern: "^[^\\u0000-\\u0020\\u007f<>]*$",
        description:
          "an address without spaces, control characters and angle brackets, or empty for the null sender",
      }),
    ),
    username: Type.Optional(Type.String({ minLength: 1, description: "at least one character" })),
    password: Type.Optional(Type.String({ minLength: 1, description: "at least one character" })),
    tls: Type.Optional(OneOf(["none", "starttls", "implicit"], "none, starttls or implicit")),
    tls_verify: Type.Optional(
      Type.Boolean({
        default: false,
        description:
          "Verify the server's certificate. A server without TLS has none: require TLS with `tls`.",
      }),
    ),
  },
  {
    $id: "ReleaseRequest",
    dependentRequired: RELEASE_FIELD_NEEDS,
    examples: [{ host: "smtp.example.com", port: 587, tls: "starttls" }],
  },
);
export type ReleaseRequest = Static<typeof ReleaseRequest>;

export const ReleaseReceipt = Named("ReleaseReceipt", {
  released: Type.Literal(true),
  host: Type.String(),
  port: Type.Integer(),
  accepted: Type.Array(Type.String(), { description: "Recipients that the server took." }),
  rejected: Type.Array(Type.String(), { description: "Recipients that the server refused." }),
  response: Type.String({ description: "The server's answer to the message.", examples: ["250 OK"] }),
  reason: Type.Optional(Type.String({ description: "Why it refused recipients. Only if it refused some." })),
});
export type ReleaseReceipt = Static<typeof ReleaseReceipt>;
