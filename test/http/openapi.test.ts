// The OpenAPI document is valid, complete, and the same in JSON and YAML. Its page works offline.
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { Validator } from "@seriousme/openapi-schema-validator";
import { type Mailkeep, startMailkeep } from "./support/mailkeep.ts";
import { operationsOf } from "./support/openapi.ts";

let mailkeep: Mailkeep;
// biome-ignore lint/suspicious/noExplicitAny: a document of any shape
let document: any;
beforeAll(async () => {
  mailkeep = await startMailkeep();
  document = (await mailkeep.call("/api/v1/openapi.json")).json;
});
afterAll(() => mailkeep.stop());

test("an OpenAPI 3.1 validator finds nothing to complain about", async () => {
  const validator = new Validator();
  const result = await validator.validate(structuredClone(document));
  expect(result.errors ?? []).toEqual([]);
  expect(result.valid).toBe(true);
  expect(validator.version).toBe("3.1");
});

test("the YAML says the same as the JSON, with its own content type", async () => {
  const answer = await mailkeep.call("/api/v1/openapi.yaml");
  expect(answer.headers.get("content-type")).toBe("application/yaml");
  expect(answer.text).toStartWith("openapi: 3.1.0\n");
  expect(Bun.YAML.parse(answer.text)).toEqual(document);
});

const python = Bun.which("python3");
const hasPyYaml = python !== null && Bun.spawnSync([python, "-c", "import yaml"]).success;
test.skipIf(!hasPyYaml)("a YAML 1.1 reader sees the same", async () => {
  const { text } = await mailkeep.call("/api/v1/openapi.yaml");
  // The YAML reader written in C, if it is installed, takes a twentieth of the time.
  const script = `import json, sys, yaml
loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
print(json.dumps(yaml.load(sys.stdin.buffer, Loader=loader)))`;
  const child = Bun.spawn([python ?? "", "-c", script], { stdin: new TextEncoder().encode(text) });
  expect(await new Response(child.stdout).json()).toEqual(document);
});

test("a choice between words is an enumeration, and credentials are optional", () => {
  expect(document.components.schemas.ReleaseRequest.properties.tls).toMatchObject({
    type: "string",
    enum: ["none", "starttls", "implicit"],
  });
  expect(document.security).toEqual([{}, { basicAuth: [] }, { bearerAuth: [] }]);
});

test("a user name goes with a password", () => {
  expect(document.components.schemas.ReleaseRequest.dependentRequired).toMatchObject({
    username: ["host", "password"],
    password: ["host", "username"],
  });
});

test("the shared shapes are named components", () => {
  expect(Object.keys(document.components.schemas)).toEqual(
    expect.arrayContaining([
      "Attachment",
      "AuthResults",
      "Error",
      "InboxEvent",
      "Message",
      "MessageList",
      "MessageSummary",
      "ReleaseRequest",
    ]),
  );
  expect(JSON.stringify(document)).not.toContain('"$id"');
});

interface Operation {
  readonly operationId?: string;
  readonly summary?: string;
  readonly tags?: string[];
  readonly parameters?: { name: string; in: string; description?: string }[];
  readonly responses: Record<string, object>;
  readonly security?: object[];
}
const operations = () => operationsOf<Operation>(document);

test("every operation has an id, a summary, a tag, described parameters and errors; health asks for no credentials", () => {
  const ids = operations().map(({ operation }) => operation.operationId);
  expect(new Set(ids).size).toBe(ids.length);
  const known = new Set(document.tags.map(({ name }: { name: string }) => name));
  for (const { path, operation } of operations()) {
    expect(operation.summary).toBeTruthy();
    expect(operation.tags?.every((tag) => known.has(tag))).toBe(true);
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name);
    const declared = operation.parameters?.filter((one) => one.in === "path").map(({ name }) => name) ?? [];
    expect(declared).toEqual(inPath as string[]);
    for (const parameter of operation.parameters ?? []) expect(parameter.description).toBeTruthy();
    const isOpen = operation.operationId === "getHealth";
    expect(operation.security).toEqual(isOpen ? [] : undefined);
    expect(Object.hasOwn(operation.responses, "401")).toBe(!isOpen);
    expect(operation.responses).toHaveProperty("500");
  }
});

test("numbers beyond 32 bits have the format int64, which clients in Java and Go need", async () => {
  const { events, store } = document.components.schemas.ServiceInfo.properties;
  const { since } = Object.fromEntries(
    document.paths["/api/v1/ws"].get.parameters.map((one: { name: string; schema: object }) => [
      one.name,
      one.schema,
    ]),
  );
  const frames = document.components.schemas.InboxEvent.anyOf.map(
    (frame: typeof events) => frame.properties.seq,
  );
  const { message_bytes, store_bytes } = store.properties;
  const large = [events.properties.seq, message_bytes, store_bytes, since, ...frames];
  expect(large.map(({ format }) => format)).toEqual(large.map(() => "int64"));
  const { json } = await mailkeep.call("/api/v1/info");
  expect(json.events.seq).toBeGreaterThan(2 ** 31);
});

test("bounds of a count have the format int64, also in the answer that repeats them", async () => {
  const parameters = document.paths["/api/v1/assert/count"].get.parameters;
  const asked = parameters.filter(({ name }: { name: string }) => name === "min" || name === "max");
  const { expected_min, expected_max } = document.components.schemas.CountFails.properties;
  const large = [...asked.map(({ schema }: { schema: object }) => schema), expected_min, expected_max];
  expect(large.map((schema) => (schema.anyOf?.[0] ?? schema).format)).toEqual(Array(4).fill("int64"));
  const { json } = await mailkeep.call("/api/v1/assert/count?min=5000000000");
  expect(json.expected_min).toBe(5_000_000_000);
});

test("parameters that exclude each other have no default, because generated clients send defaults", async () => {
  const withDefault = (method: "get" | "delete") =>
    document.paths["/api/v1/messages"][method].parameters.filter(
      ({ schema }: { schema: object }) => "default" in schema,
    );
  expect(withDefault("get").map(({ name }: { name: string }) => name)).toEqual(["limit"]);
  expect(withDefault("delete")).toEqual([]);
});

describe("/docs", () => {
  test("its script comes from here and runs under a policy without inline scripts", async () => {
    const page = await mailkeep.call("/docs");
    expect(page.headers.get("content-type")).toBe("text/html; charset=utf-8");
    const policy = page.headers.get("content-security-policy") ?? "";
    expect(policy).toContain("script-src 'self';");
    expect(page.text).not.toMatch(/https?:\/\//);
    expect((await mailkeep.call("/docs/swagger-ui.js")).bytes.length).toBeGreaterThan(1_000_000);
    expect((await mailkeep.call("/docs/swagger-ui.css")).headers.get("content-type")).toBe(
      "text/css; charset=utf-8",
    );
  });

  test.each(["/docs/swagger-ui.js", "/docs/swagger-ui.css"])(
    "%s is compressed, and not sent again to a browser that has it",
    async (path) => {
      const zipped = await fetch(mailkeep.url + path, { headers: { "accept-encoding": "gzip" } });
      expect(zipped.headers.get("content-encoding")).toBe("gzip");
      const plain = await fetch(mailkeep.url + path, { headers: { "accept-encoding": "identity" } });
      expect(plain.headers.get("content-encoding")).toBeNull();
      expect(await zipped.bytes()).toEqual(await plain.bytes());
      const known = { "if-none-match": zipped.headers.get("etag") ?? "" };
      expect((await mailkeep.call(path, { headers: known })).status).toBe(304);
    },
  );
});
