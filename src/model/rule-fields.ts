// Fields that rules of faults and of inboxes share.
import { Type } from "@sinclair/typebox";

/** With many wildcards a long text would take long to compare. `beginning` is looked ahead for, as a regular expression. */
export const pattern = (description: string, beginning = "") =>
  Type.Optional(
    Type.String({
      maxLength: 512,
      pattern: `^(?=${beginning})[^*]*(?:\\*[^*]*){0,2}$`,
      description: `${description}, in any case; \`*\` stands for anything, at most twice`,
    }),
  );

export const span = (description: string, { isPositive = false } = {}) =>
  Type.Optional(
    Type.String({
      pattern: `^${isPositive ? "(?=.*[1-9])" : ""}\\d+(?:\\.\\d+)?(?:ms|[smhd])$`,
      maxLength: 20,
      description: `${description}, a span of time such as 500ms, 2s or 10m`,
      examples: ["2s"],
    }),
  );

/** Bytes, or a text with a unit. */
export const size = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 1 }),
        Type.String({ pattern: "^\\d+(?:\\.\\d+)? ?(?:[kKmMgG](?:i?[bB])?|[bB])?$", maxLength: 20 }),
      ],
      { description, examples: ["10k"] },
    ),
  );
