// Takes a mail over HTTP instead of SMTP.
import {
  type ComposedMail,
  composeRequest,
  type FaultHit,
  logStored,
  SessionTranscript,
} from "../../app/index.ts";
import type { FaultStage } from "../../lib/smtp.ts";
import { SendRequest, SentMessage } from "../../model/index.ts";
import { isWithin, type Scope } from "../../store/index.ts";
import { checked } from "../body.ts";
import { scopeOf, unknownInbox } from "../caller.ts";
import { route, routes } from "../openapi/operation.ts";
import { jsonAnswer, problem, UNKNOWN_INBOX } from "../openapi/responses.ts";
import { Problem } from "../problem.ts";
import type { Dependencies } from "./dependencies.ts";

export const SEND_PATH = "/api/v1/send";

/** Enough if all letters beyond ASCII are escaped: б has 6 bytes in JSON, at least 2 in a mail. */
export const sendBodyBytes = (maxMessageBytes: number): number => 3 * maxMessageBytes;

const tooLarge = (maxBytes: number) =>
  new Problem(413, "message_too_large", `The mail is larger than ${maxBytes} bytes.`);

/** The status tells the client whether to try again. */
function refusedOnPurpose(rule: string, stage: FaultStage, reply: FaultHit["reply"]): Problem {
  const { code, enhanced, text } = reply ?? { code: 421, enhanced: "4.0.0", text: "Connection dropped" };
  const sentence = `The fault ${rule} refused the mail at ${stage}: ${code} ${enhanced} ${text}`;
  return new Problem(code < 500 ? 503 : 403, "refused_on_purpose", sentence);
}

const refusal = (code: number, text: string) =>
  refusedOnPurpose("example", "rcpt", { code, enhanced: `${Math.floor(code / 100)}.2.1`, text });

export function send(options: Dependencies) {
  return routes(
    "Messages",
    route("sendMessage", "POST /api/v1/send", "write", {
      summary: "Put a mail into the mailbox",
      description:
        "The mail is composed here and stored as if it had come by SMTP: `to`, `cc` and `bcc` are its recipients, and " +
        "`bcc` is not in its header. At least one of them must have an address, and each string is one " +
        "address. Fault rules at mail, rcpt, data and end apply here, too, except `throttle`; if one recipient is " +
        "refused, so is the whole mail. " +
        "`mailkeep send --json` takes the same.",
      body: SendRequest,
      responses: {
        201: jsonAnswer("It is stored.", SentMessage),
        ...UNKNOWN_INBOX,
        ...problem(
          "A fault on purpose refused it with 5xx; or the page's origin is foreign.",
          refusal(550, "No such user"),
        ),
        ...problem("It is larger than `--max-message-size`.", tooLarge(52_428_800)),
        ...problem(
          "A fault on purpose refused it with 4xx or dropped it; or Mailkeep is stopping.",
          refusal(450, "Mailbox busy"),
        ),
      },
      answer: async ({ body, request }): Promise<SentMessage> => ({
        id: await deliver(body, request, options),
      }),
    }),
  );
}

export async function deliver(given: SendRequest, request: Request, options: Dependencies): Promise<string> {
  const { mailbox, inboxes, faults, limits, logger } = options;
  const { inbox: wanted, ...described } = given;
  const mail = await composeRequest(described, limits.maxRecipients);
  if (mail.bytes.length > limits.maxMessageBytes) throw tooLarge(limits.maxMessageBytes);
  const inbox = await inboxFor(mail, wanted, scopeOf(request), inboxes);
  if (!faults.isEmpty) await meetFaults(mail, inbox, request, options);
  const draft = mailbox.receive({ ...mail.envelope, inbox });
  try {
    await draft.append(mail.bytes);
    const stored = await draft.commit();
    logStored(logger, stored, options.addressOf(request));
    return stored.id;
  } finally {
    draft.abort();
  }
}

/**
 * The inbox that the request names; it must exist within the scope. Without a name, the inbox that
 * the rules choose or, if that is outside the scope, the first inbox of the scope.
 */
async function inboxFor(
  { envelope, bytes }: ComposedMail,
  wanted: string | undefined,
  scope: Scope,
  inboxes: Dependencies["inboxes"],
): Promise<string> {
  if (wanted !== undefined) {
    if (isWithin(scope, wanted) && (await inboxes.has(wanted))) return wanted;
    throw unknownInbox(wanted);
  }
  const place = inboxes.place(envelope, bytes);
  const [own = place] = scope ?? [];
  return isWithin(scope, place) ? place : own;
}

/** Applies the faults of the SMTP stages that a mail passes. Throws if one of them refuses the mail. */
async function meetFaults(
  { envelope: { sender, recipients }, bytes }: ComposedMail,
  inbox: string,
  request: Request,
  { faults, transcripts, logger, addressOf, keepOpen }: Dependencies,
): Promise<void> {
  const client = addressOf(request);
  // A refusal is listed with those of SMTP, in the same form.
  const transcript = new SessionTranscript(client);
  transcript.add(`(POST ${SEND_PATH})`);
  const stages: readonly (readonly [FaultStage, readonly string[], string | number])[] = [
    ["mail", [], `MAIL FROM:<${sender}>`],
    ...recipients.map((recipient) => ["rcpt", [recipient], `RCPT TO:<${recipient}>`] as const),
    ["data", recipients, "DATA"],
    ["end", recipients, bytes.length],
  ];
  for (const [stage, concerned, said] of stages) {
    transcript.recordInput(said);
    const header = stage === "end" ? bytes : null;
    const hit = faults.at(stage, { client, inbox: () => inbox, sender, recipients: concerned, header });
    if (hit !== null) {
      const { rule, reply, delayMs, drop } = hit;
      logger.info("fault on purpose", { rule, at: stage, code: reply?.code, client });
      keepOpen(request);
      await Bun.sleep(delayMs);
      if (reply !== null || drop) {
        const wire = reply === null ? "" : `${reply.code} ${reply.enhanced} ${reply.text}`;
        transcript.add({ wire });
        transcripts.refuse(transcript, wire, { stage, sender, recipients: concerned }, inbox);
        throw refusedOnPurpose(rule, stage, reply);
      }
    }
    transcript.add({ wire: stage === "data" ? "354 Go on" : "250 OK" });
  }
}

export const parseSendRequest = (given: unknown): SendRequest => checked(SendRequest, given);
