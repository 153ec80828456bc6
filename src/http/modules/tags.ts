// Every tag in use.
import { Elysia } from "elysia";
import { TagList } from "../../model/index.ts";
import type { Store } from "../../store/index.ts";
import { documented, jsonAnswer } from "../openapi/operation.ts";
import { NO_STORE_HEADER } from "../openapi/response-headers.ts";

export function tags({ store }: { readonly store: Store }) {
  return new Elysia().get(
    "/api/v1/tags",
    async (): Promise<TagList> => ({ tags: await store.tags() }),
    documented({
      operationId: "listTags",
      summary: "Every tag in use, with the number of messages that carry it",
      tags: ["Messages"],
      responses: { 200: jsonAnswer("The tags, sorted.", TagList, NO_STORE_HEADER) },
    }),
  );
}
