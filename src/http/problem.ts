// An error that a client is told about: status, machine word, sentence. Everything else is a bug and a 500.

export class Problem extends Error {
  constructor(
    readonly status: number,
    readonly code: string,
    message: string,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(message);
    this.name = "Problem";
  }
}

export const badRequest = (code: string, message: string) => new Problem(400, code, message);

export const invalidField = (field: string, reason: string) =>
  badRequest("invalid_body", `Field ${field} of the request body: ${reason}.`);

export const NO_OBJECT = badRequest("invalid_body", "The request body must be a JSON object.");

export const unknownMessage = (id: string) =>
  new Problem(404, "unknown_message", `No message has the id ${quote(id)}.`);

export const unknownPath = () => new Problem(404, "unknown_path", "There is nothing at this path.");

const MAX_QUOTED_CHARACTERS = 80;

/** What a client sent, fit to stand in a sentence: short, and free of control characters. */
export function quote(given: string): string {
  const short = given.length > MAX_QUOTED_CHARACTERS ? `${given.slice(0, MAX_QUOTED_CHARACTERS)}…` : given;
  return JSON.stringify(short.toWellFormed());
}
