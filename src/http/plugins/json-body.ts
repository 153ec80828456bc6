// Every request body is JSON, read within one limit whatever its content type says.
import { Elysia } from "elysia";
import { readJson } from "../body.ts";

export function jsonBody(maxBytes: number) {
  return new Elysia({ name: "json-body" }).onParse({ as: "global" }, ({ request }) =>
    readJson(request, maxBytes),
  );
}
