// A mail by HTTP instead of SMTP, for code that has none.
import { Elysia } from "elysia";
import { composeRequest } from "../../app/index.ts";
import { SendRequest, SentMessage } from "../../model/index.ts";
import { body } from "../body.ts";
import { operation } from "../openapi/operation.ts";
import { BAD_BODY, jsonAnswer, problem } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Parts } from "./parts.ts";

export const SEND_PATH = "/api/v1/send";

/** What base64 and JSON make of the largest mail. */
export const sendBodyBytes = (maxMessageBytes: number): number => 2 * maxMessageBytes;

const tooLarge = (maxBytes: number) =>
  new Problem(413, "message_too_large", `The mail is larger than ${maxBytes} bytes.`);

const SEND = operation({
  operationId: "sendMessage",
  summary: "Put a mail into the mailbox",
  description:
    "The mail is composed here and stored as if it had come by SMTP: `to`, `cc` and `bcc` are its recipients, and " +
    "`bcc` is not in its header. One of them must name somebody, and each text is one address. Rules of faults on " +
    "purpose do not concern it. `mailkeep send --json` takes the same.",
  tags: ["Messages"],
  body: SendRequest,
  responses: {
    201: jsonAnswer("It is stored.", SentMessage),
    ...BAD_BODY,
    413: problem("It is larger than `--max-message-size`.", tooLarge(52_428_800)),
  },
});

export interface SendOptions extends Pick<Parts, "mailbox"> {
  readonly limits: { readonly maxMessageBytes: number; readonly maxRecipients: number };
}

export function send(options: SendOptions) {
  return new Elysia().post(
    SEND_PATH,
    async ({ body, set }): Promise<SentMessage> => {
      const id = await deliver(body, options, options.limits);
      set.status = 201;
      return { id };
    },
    SEND,
  );
}

/** Stores the mail and answers with its id. */
export async function deliver(
  request: SendRequest,
  { mailbox }: Pick<Parts, "mailbox">,
  { maxMessageBytes, maxRecipients }: SendOptions["limits"],
): Promise<string> {
  const mail = await composeRequest(request, maxRecipients);
  if (mail.bytes.length > maxMessageBytes) throw tooLarge(maxMessageBytes);
  const draft = mailbox.receive(mail.envelope);
  try {
    await draft.append(mail.bytes);
    return (await draft.commit()).id;
  } finally {
    draft.abort();
  }
}

const CHECKED = body(SendRequest, { isOptional: false });

/** A request that came another way. Throws a Problem that names what is wrong. */
export const parseSendRequest = (given: unknown): SendRequest =>
  CHECKED["~standard"].validate(given).value as SendRequest;
