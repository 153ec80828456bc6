// Short forms of schemas that several files use.
import {
  type IntegerOptions,
  type ObjectOptions,
  type TProperties,
  type TSchema,
  Type,
} from "@sinclair/typebox";

/** An object that allows no other fields. */
export const Closed = <Fields extends TProperties>(fields: Fields, options: ObjectOptions = {}) =>
  Type.Object(fields, { additionalProperties: false, ...options });

/** An object with a name in the OpenAPI document. Without an example, the examples of its fields form one. */
export const Named = <Fields extends TProperties>($id: string, fields: Fields, example?: object) =>
  Closed(fields, { $id, examples: [example ?? exampleOf(Closed(fields))] });

function exampleOf({ examples, anyOf, items, properties, required = [], ...schema }: TSchema): unknown {
  if (examples) return examples[0];
  if (anyOf) return exampleOf(anyOf[0]);
  if (schema.type === "array") return [exampleOf(items)];
  if (schema.type === "object")
    return Object.fromEntries(required.map((name: string) => [name, exampleOf(properties[name])]));
  if (schema.type === "string") return schema.const ?? (schema.format ? EXAMPLE_TIME : "text");
  return schema.const ?? (schema.type === "boolean" ? false : (schema.minimum ?? 1));
}

export const OrNull = <Schema extends TSchema>(schema: Schema, description?: string) =>
  Type.Union([schema, Type.Null()], description === undefined ? {} : { description });

export const OneOf = <const Word extends string>(words: readonly Word[], description?: string) =>
  Type.Unsafe<Word>(
    Type.Union(
      words.map((word) => Type.Literal(word)),
      description === undefined ? {} : { description },
    ),
  );

export const Count = (description?: string) =>
  Type.Integer({ minimum: 0, ...(description !== undefined && { description }) });

/** Without the format, generated clients of several languages fail on integers beyond 32 bits. */
export const Int64 = (options: IntegerOptions) => Type.Integer({ format: "int64", ...options });

export const Time = Type.String({ format: "date-time" });
export const EXAMPLE_TIME = "2026-11-14T10:00:00.123Z";

// Fields of both fault rules and inboxes

/**
 * The number of wildcards is limited, because a comparison with many takes long. `beginning` is a regular expression
 * for the start of the text.
 */
export const pattern = (description: string, beginning = "") =>
  Type.Optional(
    Type.String({
      maxLength: 512,
      pattern: `^(?=${beginning})[^*]*(?:\\*[^*]*){0,2}$`,
      description: `a pattern for ${description}; case-insensitive, with \`*\` for anything, at most twice`,
    }),
  );

export const span = (description: string, { isPositive = false } = {}) =>
  Type.Optional(
    Type.String({
      pattern: `^${isPositive ? "(?=.*[1-9])" : ""}\\d+(?:\\.\\d+)?(?:ms|[smhd])$`,
      maxLength: 20,
      description: `a span of time${isPositive ? " above 0," : ""} such as 500ms, 2s or 7d: ${description}`,
      examples: ["2s"],
    }),
  );

/** Bytes, or a text with or without a unit. A fraction needs a unit above bytes. 0 is refused. */
export const size = (description: string) =>
  Type.Optional(
    Type.Union(
      [
        Type.Integer({ minimum: 1 }),
        Type.String({
          pattern: "^(?=.*[1-9])(?:\\d+ ?[bB]?|\\d+(?:\\.\\d{1,3})? ?[kKmMgG](?:i?[bB])?)$",
          maxLength: 20,
        }),
      ],
      { description, examples: ["10k"] },
    ),
  );
