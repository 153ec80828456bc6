// Who sends a request, and what they may do.
import { type Static, Type } from "@sinclair/typebox";
import { InboxName } from "./inbox.ts";
import { Closed, Named, OneOf, OrNull, Time } from "./schema.ts";

const ROLES = ["read", "write", "admin"] as const;
/** Each role has the rights of the roles before it. */
export const Role = OneOf(ROLES);
export type Role = Static<typeof Role>;

export interface Caller {
  /** Null for a caller without valid credentials, where none are needed. */
  readonly name: string | null;
  readonly role: Role;
  /** The inboxes whose mail they see; null for all mail. */
  readonly inboxes: readonly string[] | null;
  /** Aborted when their token, session or password ends or gets other rights. */
  readonly ended?: AbortSignal;
}

const MAX_NAME_CHARS = 200;
const MAX_INBOXES = 100;

const Inboxes = Type.Array(Type.String({ minLength: 1, maxLength: MAX_NAME_CHARS }), {
  minItems: 1,
  maxItems: MAX_INBOXES,
});
const Scope = OrNull(Inboxes, "The inboxes whose mail is seen; `null` for all mail.");

const TOKEN_FIELDS = {
  id: Type.String({ description: "ULID of the token; it is not secret." }),
  name: OrNull(Type.String()),
  role: Role,
  inbox: OrNull(Type.String(), "The inbox whose mail is seen, if it is exactly one."),
  inboxes: Scope,
  created_at: Time,
  expires_at: OrNull(Time),
};

export const Token = Named("Token", TOKEN_FIELDS);
export type Token = Static<typeof Token>;

export const TokenList = Named("TokenList", { tokens: Type.Array(Token) });
export type TokenList = Static<typeof TokenList>;

export const CreatedToken = Named("CreatedToken", {
  ...TOKEN_FIELDS,
  token: Type.String({ description: "Shown only once: the server keeps only its hash." }),
});
export type CreatedToken = Static<typeof CreatedToken>;

export const TokenRequest = Named(
  "TokenRequest",
  {
    role: OneOf(ROLES, "read, write or admin"),
    name: Type.String({
      maxLength: MAX_NAME_CHARS,
      description: `a text of at most ${MAX_NAME_CHARS} characters`,
    }),
    inbox: Type.Optional(InboxName),
    inboxes: Type.Optional(Type.Array(InboxName, { minItems: 1, maxItems: MAX_INBOXES })),
    expires: Type.Optional(
      Type.String({
        description: "a span of time such as 7d, or a time such as 2030-01-31T10:00:00Z",
      }),
    ),
  },
  { name: "nightly tests", role: "write", inbox: "ci-42", expires: "7d" },
);
export type TokenRequest = Static<typeof TokenRequest>;

export const Me = Named("Me", {
  name: OrNull(Type.String(), "Of the user or the token; `null` if no credentials are needed."),
  role: Role,
  inboxes: Scope,
  sign_in: Closed({
    basic: Type.Boolean({ description: "Users with passwords are known (`--http-auth`)." }),
    oidc: Type.Boolean({ description: "The page signs in at `/auth/sign-in` (`--oidc-issuer`)." }),
  }),
});
export type Me = Static<typeof Me>;
