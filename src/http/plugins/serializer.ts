// Handlers return plain values; here they become JSON, once. A Response passes as it is.
import { Elysia } from "elysia";
import { json } from "../json.ts";

export const serializer = new Elysia({ name: "serializer" }).mapResponse(
  { as: "global" },
  ({ responseValue, set, request }) => {
    if (responseValue instanceof Response || responseValue === undefined) return;
    return json(responseValue, {
      status: typeof set.status === "number" ? set.status : 200,
      headers: set.headers as Record<string, string>,
      acceptEncoding: request.headers.get("accept-encoding"),
    });
  },
);
