// The interface by which Elysia calls our checks and gets the handler's types (standardschema.dev). Elysia's own checks
// do not fit: they split parameters at commas, drop unknown ones, fill in defaults first, and change their errors by
// environment. Our checks throw a Problem.

export interface StandardSchema<Input, Output> {
  readonly "~standard": {
    readonly version: 1;
    readonly vendor: string;
    readonly validate: (given: Input) => { readonly value: unknown };
    readonly types?: { readonly input: Input; readonly output: Output };
  };
}

export const standardSchema = <Input, Output>(
  read: (given: Input) => unknown,
): StandardSchema<Input, Output> => ({
  "~standard": { version: 1, vendor: "mailkeep", validate: (given) => ({ value: read(given) }) },
});
