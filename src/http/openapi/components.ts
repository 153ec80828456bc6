// Named components out of TypeBox schemas: whoever has an `$id` becomes one, and leaves a reference in its place.

export type JsonObject = { [name: string]: unknown };

export class Components {
  readonly #schemas = new Map<string, unknown>();

  schemas(): JsonObject {
    return Object.fromEntries([...this.#schemas].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  resolve(value: unknown): unknown {
    if (Array.isArray(value)) return value.map((item) => this.resolve(item));
    if (value === null || typeof value !== "object") return value;
    const { $id, ...rest } = value as { $id?: unknown };
    if (typeof $id !== "string") return this.#plain(rest);
    if (!this.#schemas.has($id)) {
      this.#schemas.set($id, null);
      this.#schemas.set($id, this.#plain(rest));
    }
    return { $ref: `#/components/schemas/${$id}` };
  }

  /** String keys only: TypeBox's own marks are symbols. */
  #plain(value: object): JsonObject {
    const entries = Object.entries(value).map(([name, field]) => [name, this.resolve(field)] as const);
    return literalsAsEnum(Object.fromEntries(entries));
  }
}

/** A choice between words is an enumeration to the generators of clients. */
function literalsAsEnum({ anyOf, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(anyOf)) return rest;
  const words = anyOf.map((choice: JsonObject) => choice.const);
  if (!words.every((word) => typeof word === "string")) return { ...rest, anyOf };
  return { ...rest, type: "string", enum: words };
}
