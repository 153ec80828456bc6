// Why a message could not be forwarded.

export type ReleaseErrorCode =
  | "release_disabled"
  | "release_forbidden"
  | "release_refused"
  | "release_unreachable"
  | "release_timeout";

export class ReleaseError extends Error {
  constructor(
    readonly code: ReleaseErrorCode,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = "ReleaseError";
  }
}
