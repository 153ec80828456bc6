/** A value that fits its schema but cannot be used: a name is taken, or a field contradicts another. */
export class FieldError extends Error {
  override readonly name = "FieldError";
  constructor(
    readonly field: string,
    readonly reason: string,
  ) {
    super(`${field} ${reason}`);
  }
}
