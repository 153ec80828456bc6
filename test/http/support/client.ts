// A client that checks the answers of described routes against the OpenAPI document: status,
// headers, type and schema.
import Ajv2020 from "ajv/dist/2020";
import { pointerPart } from "./openapi.ts";

/** Headers that any answer may have without a description. */
const EVERYWHERE = new Set([
  "connection",
  "content-encoding",
  "content-length",
  "content-security-policy",
  "content-type",
  "cross-origin-opener-policy",
  "cross-origin-resource-policy",
  "date",
  "keep-alive",
  "permissions-policy",
  "referrer-policy",
  "transfer-encoding",
  "vary",
  "x-content-type-options",
  "x-frame-options",
]);

type Json = null | boolean | number | string | Json[] | { [name: string]: Json };

interface OpenApiResponse {
  readonly $ref?: string;
  readonly headers?: Readonly<Record<string, { readonly required?: boolean }>>;
  readonly content?: Readonly<Record<string, { readonly schema: object }>>;
}

interface OpenApiDocument {
  readonly components: { readonly responses: Readonly<Record<string, OpenApiResponse>> };
  readonly paths: Readonly<
    Record<
      string,
      Readonly<Record<string, { readonly responses: Readonly<Record<string, OpenApiResponse>> }>>
    >
  >;
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly bytes: Uint8Array;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: the answers have any shape
  readonly json: any;
}

export interface CallOptions {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Json | undefined;
  readonly rawBody?: string | Uint8Array<ArrayBuffer>;
  readonly signal?: AbortSignal;
}

export type Client = (path: string, options?: CallOptions) => Promise<Answer>;

interface Contract {
  readonly document: OpenApiDocument;
  readonly ajv: Ajv2020;
}

/** Keyed by the OpenAPI document's text: most servers of a test process share one document. */
const contracts = new Map<string, Contract>();

function contractOf(text: string): Contract {
  const known = contracts.get(text);
  if (known) return known;
  const document: OpenApiDocument = JSON.parse(text);
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  ajv.addSchema(document, "openapi");
  const contract = { document, ajv };
  contracts.set(text, contract);
  return contract;
}

export async function createClient(url: string): Promise<Client> {
  const { document, ajv } = contractOf(await (await fetch(`${url}/api/v1/openapi.json`)).text());

  function check(method: string, path: string, answer: Answer): void {
    if (method === "HEAD" || method === "OPTIONS") return;
    const template = Object.keys(document.paths).find((one) => matches(one, path));
    const operation = template && document.paths[template]?.[method.toLowerCase()];
    if (!template || !operation) return;
    const declared = operation.responses[answer.status];
    if (!declared) throw new Error(`${method} ${template}: status ${answer.status} is not described`);
    const shared = declared.$ref?.split("/").at(-1);
    const response = shared === undefined ? declared : document.components.responses[shared];
    for (const [name, { required }] of Object.entries(response?.headers ?? {})) {
      if (required && !answer.headers.has(name))
        throw new Error(`${method} ${template} ${answer.status}: the header ${name} is missing`);
    }
    const described = new Set(Object.keys(response?.headers ?? {}).map((name) => name.toLowerCase()));
    for (const name of answer.headers.keys()) {
      if (!described.has(name) && !EVERYWHERE.has(name) && !name.startsWith("access-control-"))
        throw new Error(`${method} ${template} ${answer.status}: the header ${name} is not described`);
    }
    if (!response?.content) {
      if (answer.bytes.length > 0) throw new Error(`${method} ${template}: a body is not described`);
      return;
    }
    const type = (answer.headers.get("content-type") ?? "").split(";")[0] ?? "";
    if (response.content["*/*"]) return;
    if (!response.content[type]) {
      throw new Error(`${method} ${template} ${answer.status}: type ${type} is not described`);
    }
    if (type !== "application/json") return;
    const place =
      shared === undefined
        ? ["paths", template, method.toLowerCase(), "responses", String(answer.status)]
        : ["components", "responses", shared];
    const ref = `openapi#/${[...place, "content", type, "schema"].map(pointerPart).join("/")}`;
    const validate = ajv.getSchema(ref);
    if (!validate) throw new Error(`no schema at ${ref}`);
    if (!validate(answer.json)) {
      throw new Error(
        `${method} ${template} ${answer.status}: ${ajv.errorsText(validate.errors)}\n${answer.text}`,
      );
    }
  }

  return async (path, { method = "GET", headers = {}, body, rawBody, signal } = {}) => {
    const response = await fetch(url + path, {
      method,
      headers: { ...(body !== undefined && { "content-type": "application/json" }), ...headers },
      body: rawBody ?? (body === undefined ? null : JSON.stringify(body)),
      redirect: "manual",
      ...(signal && { signal }),
    });
    const bytes = new Uint8Array(await response.arrayBuffer());
    const text = new TextDecoder().decode(bytes);
    const isJson = response.headers.get("content-type") === "application/json" && text !== "";
    const answer: Answer = {
      status: response.status,
      headers: response.headers,
      bytes,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
    check(method, path.split("?")[0] ?? "", answer);
    return answer;
  };
}

/** Fixed names take precedence over parameters: `/messages/wait` is not `/messages/{id}`. */
function matches(template: string, path: string): boolean {
  const wanted = path.replace(/\/$/, "").split("/");
  const parts = template.split("/");
  if (parts.length !== wanted.length) return false;
  return parts.every(
    (part, index) => part === wanted[index] || (part.startsWith("{") && !isFixed(wanted[index])),
  );
}

const isFixed = (part: string | undefined) => part === "wait" || part === "latest";
