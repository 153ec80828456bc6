// What a person typed cannot be understood: printed as one line, exit code 2.

export class UsageError extends Error {
  constructor(message: string) {
    super(message);
    this.name = "UsageError";
  }
}
