// Answers to an assertion about the number of mails, and to a wait that ended without a match.
import { type Static, Type } from "@sinclair/typebox";
import { MessageSummary } from "./message.ts";
import { Count, Int64, Named, OrNull } from "./schema.ts";

export const NearMiss = Named("NearMiss", {
  message: MessageSummary,
  missed_by: Type.Array(Type.String(), {
    description: "Names of the filters that this message does not meet.",
    examples: [["to", "subject"]],
  }),
});
export type NearMiss = Static<typeof NearMiss>;

const waitFields = { waited_ms: Type.Optional(Count("Only when a time was given.")) };

const missFields = {
  ...waitFields,
  near_misses: Type.Optional(
    Type.Array(NearMiss, { maxItems: 5, description: "The newest mails that missed, and by which filter." }),
  ),
};

export const CountHolds = Named("CountHolds", { ok: Type.Literal(true), count: Count(), ...waitFields });
export type CountHolds = Static<typeof CountHolds>;

export const CountFails = Named("CountFails", {
  ok: Type.Literal(false),
  count: Count(),
  expected_min: OrNull(Int64({ minimum: 0 }), "The `min` that was asked, or null."),
  expected_max: OrNull(Int64({ minimum: 0 }), "The `max` that was asked, or null."),
  ...missFields,
});
export type CountFails = Static<typeof CountFails>;

export const WaitTimedOut = Named("WaitTimedOut", {
  error: Type.String(),
  code: Type.Literal("timeout"),
  ...missFields,
});
export type WaitTimedOut = Static<typeof WaitTimedOut>;
