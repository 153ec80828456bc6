// The mailbox routes as the OpenAPI document shows them.
import { Type } from "@sinclair/typebox";
import {
  BulkChangeRequest,
  BulkDeleted,
  BulkDeleteRequest,
  BulkUpdated,
  DeletedCount,
  MessageList,
  Ulid,
} from "../../../model/index.ts";
import { jsonAnswer, type OperationSpec, problem } from "../../openapi/operation.ts";
import {
  COUNT_FILTERS,
  EXACT_FILTERS,
  EXAMPLE_ID,
  FILTERS,
  INCLUDE_PREVIEW,
  SPECIFIED_FILTERS,
} from "../../openapi/parameters.ts";
import { NO_STORE_HEADER } from "../../openapi/response-headers.ts";
import { BAD_BODY } from "../../openapi/shared-responses.ts";
import { invalid } from "../../query-string.ts";
import { unknownFilter } from "./deletion.ts";

export const LIST_DOC: OperationSpec = {
  operationId: "listMessages",
  summary: "List messages",
  description:
    "Newest first. Filters combine with AND. A cursor page (`before`) costs the same at any depth and does not " +
    "shift as new mail arrives.",
  tags: ["Messages"],
  parameters: [
    ...SPECIFIED_FILTERS,
    {
      name: "limit",
      in: "query",
      description: "Messages per page; clamped into 1..200.",
      schema: Type.Integer({ default: 50 }),
    },
    {
      name: "offset",
      in: "query",
      description: "Messages to skip, none unless given; negative is 0. Cannot be combined with `before`.",
      // Without a default, which generated clients would send along with `before`.
      schema: Type.Integer(),
    },
    {
      name: "before",
      in: "query",
      description: "Keyset cursor: only messages strictly older than this one.",
      schema: Ulid,
    },
    ...COUNT_FILTERS,
    ...EXACT_FILTERS,
    INCLUDE_PREVIEW,
  ],
  responses: {
    200: jsonAnswer("One page.", MessageList, NO_STORE_HEADER),
    400: problem(
      "A parameter is malformed (`invalid_parameter`, `too_many_tags`), `before` names no stored message " +
        "(`unknown_cursor`), or it was combined with `offset` (`conflicting_pagination`).",
      invalid("limit", "ten", "an integer such as 10"),
    ),
  },
};

export const UPDATE_DOC: OperationSpec = {
  operationId: "updateMessages",
  summary: "Change many messages",
  description:
    "The same change for up to 1,000 messages; events as for single changes. Filters beside the ids are 400 and " +
    "change nothing.",
  tags: ["Messages"],
  requestBody: {
    required: true,
    schema: BulkChangeRequest,
    example: { ids: [EXAMPLE_ID], is_read: true },
  },
  responses: {
    200: jsonAnswer("What was changed, and what was not found.", BulkUpdated, NO_STORE_HEADER),
    ...BAD_BODY,
  },
};

export const DELETE_DOC: OperationSpec = {
  operationId: "deleteMessages",
  summary: "Delete all messages, those that match, or those named",
  description:
    "Without parameters and body: all of them (`messages:clear`). With filters: those that match. With a body of " +
    "ids: those. An unknown or malformed parameter, or filters that filter nothing, are 400 and remove nothing.",
  tags: ["Messages"],
  parameters: FILTERS,
  requestBody: {
    required: false,
    schema: BulkDeleteRequest,
    example: { ids: [EXAMPLE_ID] },
  },
  responses: {
    200: jsonAnswer(
      "How many were removed; with ids also which were not found.",
      Type.Union([DeletedCount, BulkDeleted], { examples: [{ deleted: 3 }] }),
      NO_STORE_HEADER,
    ),
    ...BAD_BODY,
    400: problem("Something was not understood; nothing was removed.", unknownFilter("form")),
  },
};
