// Answers of the count assertion, and of a wait that ended without a match.
import { type Static, Type } from "@sinclair/typebox";
import { Int64 } from "./int64.ts";
import { EXAMPLE_SUMMARY, MessageSummary } from "./message.ts";

const closed = { additionalProperties: false };
const bound = (description: string) => Type.Union([Int64({ minimum: 0 }), Type.Null()], { description });

export const NearMiss = Type.Object(
  {
    message: MessageSummary,
    missed_by: Type.Array(Type.String(), {
      description: "Names of the filters that this message does not meet.",
      examples: [["to", "subject"]],
    }),
  },
  { $id: "NearMiss", ...closed },
);
export type NearMiss = Static<typeof NearMiss>;

const missExample = { waited_ms: 10_000, near_misses: [{ message: EXAMPLE_SUMMARY, missed_by: ["to"] }] };

const waitFields = {
  waited_ms: Type.Optional(Type.Integer({ minimum: 0, description: "Only when a time was given." })),
};

const missFields = {
  ...waitFields,
  near_misses: Type.Optional(
    Type.Array(NearMiss, { maxItems: 5, description: "The newest mails that missed, and by which filter." }),
  ),
};

export const CountHolds = Type.Object(
  { ok: Type.Literal(true), count: Type.Integer({ minimum: 0 }), ...waitFields },
  { $id: "CountHolds", ...closed, examples: [{ ok: true, count: 1 }] },
);
export type CountHolds = Static<typeof CountHolds>;

export const CountFails = Type.Object(
  {
    ok: Type.Literal(false),
    count: Type.Integer({ minimum: 0 }),
    expected_min: bound("The `min` that was asked, or null."),
    expected_max: bound("The `max` that was asked, or null."),
    ...missFields,
  },
  {
    $id: "CountFails",
    ...closed,
    examples: [{ ok: false, count: 0, expected_min: 1, expected_max: null, ...missExample }],
  },
);
export type CountFails = Static<typeof CountFails>;

export const WaitTimedOut = Type.Object(
  { error: Type.String(), code: Type.Literal("timeout"), ...missFields },
  {
    $id: "WaitTimedOut",
    ...closed,
    examples: [{ error: "No message matched within 10000 ms.", code: "timeout", ...missExample }],
  },
);
export type WaitTimedOut = Static<typeof WaitTimedOut>;
