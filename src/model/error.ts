// The one error body of every route under /api/.
import { type Static, Type } from "@sinclair/typebox";

export const ApiError = Type.Object(
  {
    error: Type.String({ description: "A sentence for a person." }),
    code: Type.String({ description: "A word for a program." }),
  },
  {
    $id: "Error",
    additionalProperties: false,
    examples: [
      { error: 'Parameter limit must be an integer such as 10; given was "ten".', code: "invalid_parameter" },
    ],
  },
);
export type ApiError = Static<typeof ApiError>;
