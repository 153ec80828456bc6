// The checks of a message, with the server's DNS settings or with records from the request.
import { CLIENT_WORDS, unknownClient } from "../../../checks/index.ts";
import { CHECK_NAMES, type CheckName, CheckReport, CheckRequest } from "../../../model/index.ts";
import { route, routes } from "../../openapi/operation.ts";
import { jsonAnswer } from "../../openapi/responses.ts";
import { type AskedOf, choice, query, single } from "../../parameters.ts";
import { badRequest, known, quote } from "../../problem.ts";
import type { Dependencies } from "../dependencies.ts";

const wordsOf = (given: string) => given.split(",").map((word) => word.trim().toLowerCase());
const isCheck = (word: string): word is CheckName => CHECK_NAMES.some((name) => name === word);

const only = single(
  {
    type: "string",
    examples: ["html,links"],
    description: "The checks to run, separated by commas; default: all.",
  },
  `some of ${CHECK_NAMES.join(", ")}, separated by commas`,
  (given): readonly CheckName[] | null => {
    const words = wordsOf(given);
    return words.every(isCheck) ? CHECK_NAMES.filter((name) => words.includes(name)) : null;
  },
);

const clients = single(
  {
    type: "string",
    examples: ["gmail,outlook", "ios", "outlook.windows", "all"],
    description:
      "The mail clients that `html` checks for, separated by commas: families, platforms or names, or `all`; default: the common ones.",
  },
  "names of mail clients",
  (given) => {
    const words = wordsOf(given);
    const unknown = unknownClient(words);
    if (unknown === null) return words;
    const { given: word, nearest } = unknown;
    const sentence = `Parameter clients: no mail client is called ${quote(word)}; did you mean ${nearest}?`;
    throw badRequest("invalid_parameter", sentence);
  },
);

const links = choice(
  ["fetch"],
  "`fetch` asks the servers of all links for their status; private addresses only with `--check-links-allow`.",
);

export const CHECK_PARAMETERS = { only, clients, links };
const PARAMETERS = query(CHECK_PARAMETERS);

const ANSWERS = { 200: jsonAnswer("The checks.", CheckReport) };

export function checks({ checks }: Dependencies) {
  const report = (
    id: string,
    { only = CHECK_NAMES, clients = [], links }: AskedOf<typeof PARAMETERS>,
    dns: CheckRequest["dns"] | null,
  ): Promise<CheckReport> =>
    known(id, checks.report(id, only, { clients, fetchesLinks: links === "fetch", dns }));
  return routes(
    "Testing",
    route("checkMessage", "GET /api/v1/messages/:id/checks", "read", {
      summary: "Check whether the message will look right and arrive",
      description: `Runs the checks and answers with what they found. Clients: ${CLIENT_WORDS.join(", ")}.`,
      query: PARAMETERS,
      responses: ANSWERS,
      answer: ({ params: { id }, query }) => report(id, query, null),
    }),
    route("checkMessageWithRecords", "POST /api/v1/messages/:id/checks", "read", {
      summary: "Would it pass with these DNS records?",
      description:
        "Like GET, but `auth` uses the records of the body, such as those you are about to publish, and no other DNS.",
      query: PARAMETERS,
      body: CheckRequest,
      responses: ANSWERS,
      answer: ({ params: { id }, query, body }) => report(id, query, body.dns),
    }),
  );
}
