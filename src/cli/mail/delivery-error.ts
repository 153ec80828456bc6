// A mail that a server did not take.

/** `code` is the server's reply code; null when the server could not be reached, went away or speaks no SMTP. */
export class DeliveryError extends Error {
  constructor(
    message: string,
    readonly code: number | null,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "DeliveryError";
  }
}
