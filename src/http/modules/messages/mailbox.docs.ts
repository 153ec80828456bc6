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
import { jsonAnswer, type OperationSpec, problems } from "../../openapi/operation.ts";
import {
  COUNT_FILTERS,
  EXACT_FILTERS,
  FILTERS,
  INCLUDE_PREVIEW,
  SPECIFIED_FILTERS,
} from "../../openapi/parameters.ts";
import { NO_STORE_HEADER } from "../../openapi/response-headers.ts";

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
      description: "Messages to skip; negative is 0. Cannot be combined with `before`.",
      schema: Type.Integer({ default: 0 }),
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
    ...problems({
      400: "A parameter is malformed (`invalid_parameter`, `too_many_tags`), `before` names no stored message (`unknown_cursor`), or it was combined with `offset` (`conflicting_pagination`).",
    }),
  },
};

export const UPDATE_DOC: OperationSpec = {
  operationId: "updateMessages",
  summary: "Change many messages",
  description: "The same change for up to 1,000 messages; events as for single changes.",
  tags: ["Messages"],
  requestBody: {
    required: true,
    schema: BulkChangeRequest,
    example: { ids: ["01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"], is_read: true },
  },
  responses: {
    200: jsonAnswer("What was changed, and what was not found.", BulkUpdated, NO_STORE_HEADER),
    ...problems({
      400: "The body does not fit.",
      403: "The page's origin is foreign.",
      413: "The body is too large.",
    }),
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
    example: { ids: ["01JCMZ5T0GQ3V4W5X6Y7Z8A9BC"] },
  },
  responses: {
    200: jsonAnswer(
      "How many were removed; with ids also which were not found.",
      Type.Union([DeletedCount, BulkDeleted]),
      NO_STORE_HEADER,
    ),
    ...problems({
      400: "Something was not understood; nothing was removed.",
      403: "The page's origin is foreign.",
      413: "The body is too large.",
    }),
  },
};
