// Tags as they are typed: a comma ends one. Pure splitting.
export interface TypedTags {
  readonly ended: readonly string[];
  /** What is still being typed. */
  readonly rest: string;
}

export function splitTyped(typed: string): TypedTags {
  const parts = typed.split(",");
  const rest = parts.pop() ?? "";
  return { ended: namesOf(parts), rest: rest.trimStart() };
}

export const allTyped = (typed: string): readonly string[] => namesOf(typed.split(","));

function namesOf(parts: readonly string[]): string[] {
  return parts.map((part) => part.trim()).filter((name) => name !== "");
}
