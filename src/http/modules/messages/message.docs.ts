// The routes of one message as the OpenAPI document shows them.
import { Message, MessageChangeRequest, MessageSummary } from "../../../model/index.ts";
import { jsonAnswer, type OperationSpec, problem } from "../../openapi/operation.ts";
import { INCLUDE_PREVIEW, MESSAGE_ID } from "../../openapi/parameters.ts";
import { NO_STORE_HEADER, PARSED_HEADER } from "../../openapi/response-headers.ts";
import { BAD_BODY, UNKNOWN_MESSAGE } from "../../openapi/shared-responses.ts";
import { invalid } from "../../query-string.ts";

export const GET_DOC: OperationSpec = {
  operationId: "getMessage",
  summary: "Get one message with its bodies",
  tags: ["Messages"],
  parameters: [MESSAGE_ID, INCLUDE_PREVIEW],
  responses: {
    200: jsonAnswer("The message.", Message, { ...NO_STORE_HEADER, ...PARSED_HEADER }),
    400: problem("`include` or the URL is malformed.", invalid("include", "body", "preview")),
    ...UNKNOWN_MESSAGE,
  },
};

export const PATCH_DOC: OperationSpec = {
  operationId: "updateMessage",
  summary: "Change is_read, is_starred or tags",
  description: "Absent fields stay as they are; unknown ones are ignored. Tags are replaced as a whole.",
  tags: ["Messages"],
  parameters: [MESSAGE_ID],
  requestBody: {
    required: true,
    schema: MessageChangeRequest,
    example: { is_read: true, tags: ["checkout"] },
  },
  responses: {
    200: jsonAnswer("The message after the change.", MessageSummary, NO_STORE_HEADER),
    ...BAD_BODY,
    ...UNKNOWN_MESSAGE,
  },
};

export const DELETE_ONE_DOC: OperationSpec = {
  operationId: "deleteMessage",
  summary: "Delete one message",
  description: "It needs no body; one that is no JSON is taken for a mistake, and nothing is deleted.",
  tags: ["Messages"],
  parameters: [MESSAGE_ID],
  responses: {
    204: { description: "It is gone.", headers: NO_STORE_HEADER },
    ...BAD_BODY,
    ...UNKNOWN_MESSAGE,
  },
};
