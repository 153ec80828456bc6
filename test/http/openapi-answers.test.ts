// What the OpenAPI document says of answers: examples fit their schemas, errors and headers are
// described. support/client.ts, which the other tests use, compares every answer with the document.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import Ajv2020 from "ajv/dist/2020";
import { type Mailkeep, mail, startMailkeep } from "./support/mailkeep.ts";
import { operationsOf, pointerPart } from "./support/openapi.ts";

interface Schema {
  readonly $ref?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
}
interface Media {
  readonly schema: Schema;
  readonly example?: { readonly code?: string };
}
interface Response {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, object>>;
  readonly content?: Readonly<Record<string, Media>>;
}
interface Operation {
  readonly operationId: string;
  readonly parameters?: readonly { readonly name: string; readonly in: string }[];
  readonly responses: Readonly<Record<string, Response>>;
}

let mailkeep: Mailkeep;
let id: string;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
let document: any;
beforeAll(async () => {
  mailkeep = await startMailkeep({
    http: { limits: { maxWebsockets: 1, maxBodyBytes: 999, maxMessageBytes: 333 } },
  });
  document = (await mailkeep.call("/api/v1/openapi.json")).json;
  const parts = ["--b", "Content-Type: image/png", "Content-ID: <logo>", "", "PNG", "--b--"];
  ({ id } = await mailkeep.receive(
    mail("Hi", parts.join("\r\n"), ["Content-Type: multipart/mixed; boundary=b"]),
  ));
});
afterAll(() => mailkeep.stop());

function follow<Part extends { readonly $ref?: string }>(part: Part): Part {
  if (part.$ref === undefined) return part;
  let found = document;
  for (const name of part.$ref.slice(2).split("/")) found = found[name];
  return found;
}

const operations = () => operationsOf<Operation>(document);

const answers = () =>
  operations().flatMap(({ path, method, operation }) =>
    Object.entries(operation.responses).flatMap(([status, response]) =>
      Object.entries(follow(response).content ?? {}).map(([type, media]) => ({
        name: `${method.toUpperCase()} ${path} ${status} ${type}`,
        status: Number(status),
        media,
      })),
    ),
  );

describe("examples", () => {
  test("every answer has one, except an archive, which is not text", () => {
    const missing = answers().filter(
      ({ media }) => media.example === undefined && follow(media.schema).examples === undefined,
    );
    expect(missing.filter(({ name }) => !name.endsWith(" application/zip"))).toEqual([]);
  });

  test("the example of an error has a code", () => {
    for (const { name, status, media } of answers()) {
      const isError = status >= 400 && media.schema.$ref === "#/components/schemas/Error";
      expect({ name, code: media.example?.code }).toEqual({
        name,
        code: isError ? expect.stringMatching(/^[a-z_]+$/) : undefined,
      });
    }
  });

  test("all of them, and the defaults, fit their schemas", () => {
    const ajv = new Ajv2020({ strict: false });
    ajv.addFormat("date-time", /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);
    ajv.addFormat("int64", true);
    ajv.addSchema(document, "openapi");
    let count = 0;
    const check = (where: readonly string[], shown: readonly unknown[]) => {
      const pointer = where.map(pointerPart);
      const fits = ajv.compile({ $ref: `openapi#/${pointer.join("/")}` });
      for (const value of shown) {
        count++;
        expect(fits(value) || `${where.join(" ")}: ${ajv.errorsText(fits.errors)}`).toBe(true);
      }
    };
    const walk = (value: unknown, where: readonly string[]): void => {
      if (value === null || typeof value !== "object") return;
      const { schema, example, examples, default: preset } = value as Schema & Partial<Media>;
      if (schema && example !== undefined) check([...where, "schema"], [example]);
      if (Array.isArray(examples)) check(where, examples);
      if (preset !== undefined) check(where, [preset]);
      for (const [name, part] of Object.entries(value)) {
        if (!["example", "examples", "default"].includes(name)) walk(part, [...where, name]);
      }
    };
    walk(document, []);
    expect(count).toBeGreaterThan(100);
  });
});

describe("statuses", () => {
  test("every route with a body describes the errors for a body that is too large or not JSON", async () => {
    const readers = operations().filter(({ method }) => method !== "get");
    expect(readers.length).toBeGreaterThan(4);
    for (const { path, method } of readers) {
      const send = (rawBody: string) =>
        mailkeep.call(path.replace("{id}", id).replace("{inbox}", "default"), {
          method: method.toUpperCase(),
          rawBody,
        });
      expect(await send(`"${"x".repeat(1000)}"`)).toMatchObject({
        status: 413,
        json: { code: "body_too_large" },
      });
      expect(await send("{")).toMatchObject({ status: 400, json: { code: "invalid_json" } });
    }
  });

  test("the description says once for all routes what other methods get", () => {
    expect(document.info.description).toContain("405");
    expect(document.info.description).toContain("`Allow`");
  });
});

describe("headers", () => {
  test("a 401 says which credentials are needed", () => {
    for (const { operation } of operations()) {
      const refused = operation.responses["401"];
      if (refused) expect(follow(refused).headers).toHaveProperty("WWW-Authenticate");
    }
  });

  const RANGED = ["raw", "export", "attachments/{aid}", "inline/{cid}"];
  const CONDITIONAL = [...RANGED, "attachments", "headers", "auth"];
  test("conditions and ranges are parameters where they work, and only there", () => {
    for (const { path, method, operation } of operations()) {
      const isConditionalPut = method === "put" && path === "/api/v1/inboxes/{inbox}";
      const rest = path.replace(/^\/api\/v1\/(?:inboxes\/\{inbox\}\/)?messages\/\{id\}\//, "");
      const names = (operation.parameters ?? []).filter((one) => one.in === "header").map(({ name }) => name);
      expect({ path, names: names.toSorted() }).toEqual({
        path,
        names: [
          ...(CONDITIONAL.includes(rest) || isConditionalPut ? ["If-None-Match"] : []),
          ...(RANGED.includes(rest) ? ["If-Range", "Range"] : []),
        ],
      });
    }
  });
});
