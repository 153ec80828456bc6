// What can go wrong, in sentences that read well in a test log.

/** The server refused a request; `code` is its machine word. */
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

/** Nobody answers at the address. */
export class UnreachableError extends MailkeepError {
  constructor(url: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super(
      `Mailkeep does not answer at ${url} (${reason}). Is it running, and is this its address?`,
      "unreachable",
      null,
      { cause },
    );
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
