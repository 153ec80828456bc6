// Named components: a TypeBox schema with an `$id` and a response with a name leave a reference in their place.
import type { ResponseSpec } from "./operation.ts";

export type JsonObject = { [name: string]: unknown };

export class Components {
  readonly #schemas = new Map<string, unknown>();
  readonly #responses = new Map<string, unknown>();

  all(): JsonObject {
    return { responses: sorted(this.#responses), schemas: sorted(this.#schemas) };
  }

  response({ name, ...spec }: ResponseSpec): unknown {
    const response = this.resolve(spec);
    if (name === undefined) return response;
    this.#responses.set(name, response);
    return { $ref: `#/components/responses/${name}` };
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

const sorted = (named: ReadonlyMap<string, unknown>): JsonObject =>
  Object.fromEntries([...named].sort(([a], [b]) => (a < b ? -1 : 1)));

/** A choice between words is an enumeration to the generators of clients. */
function literalsAsEnum({ anyOf, ...rest }: JsonObject): JsonObject {
  if (!Array.isArray(anyOf)) return rest;
  const words = anyOf.map((choice: JsonObject) => choice.const);
  if (!words.every((word) => typeof word === "string")) return { ...rest, anyOf };
  return { ...rest, type: "string", enum: words };
}
