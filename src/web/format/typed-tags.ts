// Tags as they are typed: a comma ends one. Pure splitting.
export function typedTags(typed: string): string[] {
  return typed
    .split(",")
    .map((part) => part.trim())
    .filter((name) => name !== "");
}
