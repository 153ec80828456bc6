// Checks the names of options: without types a misspelt one would be ignored.

export function refuseUnknown(given: object, known: readonly string[]): void {
  const unknown = Object.keys(given).find((name) => !known.includes(name));
  if (unknown === undefined) return;
  throw new TypeError(`unknown option '${unknown}'; known: ${known.join(", ")}`);
}

/** An undefined variable would otherwise mean all mail. */
export function refuseBlank(given: object, names: readonly string[]): void {
  for (const [name, value] of Object.entries(given))
    if (names.includes(name) && (value === undefined || value === null || value === ""))
      throw new TypeError(`${name} is ${value === "" ? "empty" : value}: give a name or leave it out`);
}

/** The server would take the nearest number that it accepts. */
export function refuseLimit(limit: number | null | undefined): void {
  if (limit === undefined || limit === null || (Number.isInteger(limit) && limit > 0)) return;
  throw new TypeError(`limit must be a whole number from 1 up; given was '${limit}'`);
}

/** Without types, a number or a string may be passed instead of options. */
export function optionsOf<Options extends object>(
  given: Options,
  known: readonly (keyof Options & string)[],
): Options {
  if (given === null || typeof given !== "object") {
    throw new TypeError('options are an object such as { timeout: "10s" }');
  }
  refuseUnknown(given, known);
  return given;
}
