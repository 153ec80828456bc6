// The flags of the scripts that run for a number of minutes: `5` alone, or `--minutes 5`.
// An error names the wrong flag and shows the usage, as `--help` does.
import { parseArgs } from "node:util";

export function readFlags<Name extends string>(
  usage: string,
  names: readonly Name[],
): Partial<Record<Name, string>> {
  const options: Record<string, { type: "string" | "boolean" }> = { help: { type: "boolean" } };
  for (const name of names) options[name] = { type: "string" };
  try {
    const { values, positionals } = parseArgs({ options, allowPositionals: true });
    const { help, ...given } = values;
    if (help === true) endWith(0, usage);
    const [minutes, ...rest] = positionals;
    if (rest.length > 0) throw new Error(`"${rest.join(" ")}" is one word too many`);
    return { ...(minutes === undefined ? {} : { minutes }), ...given } as Partial<Record<Name, string>>;
  } catch (error) {
    return endWith(2, `${(error as Error).message}\n${usage}`);
  }
}

export function endWith(code: number, text: string): never {
  (code === 0 ? console.log : console.error)(text);
  process.exit(code);
}
