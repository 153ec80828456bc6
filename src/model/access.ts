// Who asks, and what they may do.
import { type Static, Type } from "@sinclair/typebox";

/** Each role may do what those before it may. */
export const Role = Type.Union([Type.Literal("read"), Type.Literal("write"), Type.Literal("admin")]);
export type Role = Static<typeof Role>;

export interface Caller {
  /** Null where nobody has to say who they are. */
  readonly name: string | null;
  readonly role: Role;
  /** The inboxes whose mail they see; null for all mail. */
  readonly inboxes: readonly string[] | null;
}
