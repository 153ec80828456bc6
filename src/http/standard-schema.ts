// What Elysia calls to check a part of a request, and takes the handler's type from: see standardschema.dev.
// Elysia's own checks do not do: they split parameters at commas, drop unknown ones, fill in defaults before they look,
// and word errors by the environment. A check of ours throws its problem.

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
