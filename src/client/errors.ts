// The errors of the client, in sentences for a test log.

/** The server refused a request; `code` is the API's code. */
export class MailkeepError extends Error {
  constructor(
    message: string,
    readonly code: string,
    readonly status: number | null = null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "MailkeepError";
  }
}

/** If the server did not understand the search, finding nothing proves nothing. */
export function assertUnderstood(isFound: boolean, hint: string | null): void {
  if (isFound || hint === null) return;
  const advice = hint.includes("as text") ? " Put a text with a colon in quotes." : "";
  const sentence = `Nothing was found, but the search was not understood: ${hint}${advice}`;
  throw new MailkeepError(sentence, "search_not_understood");
}

/** In a page, an answer that may not be read (CORS) looks like no answer. */
const isPage = () => "document" in globalThis;

/** Nobody answers at the address. */
export class UnreachableError extends MailkeepError {
  constructor(url: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    const question = isPage()
      ? "Is it running, is this its address, and does --cors-origin name this page's origin?"
      : "Is it running, and is this its address?";
    super(`Mailkeep does not answer at ${url} (${reason}). ${question}`, "unreachable", null, { cause });
    this.name = "UnreachableError";
  }
}

/** The mail did not come, or too many did. `answer` is the API's own answer. */
export class ExpectationError<Answer = unknown> extends MailkeepError {
  constructor(
    message: string,
    readonly answer: Answer,
  ) {
    super(message, "expectation_failed", 417);
    this.name = "ExpectationError";
  }
}
