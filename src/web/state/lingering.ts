// Mail that was changed here, or is in hands while it changes elsewhere: it stays in a list that it no longer fits
// until one moves on.
export const lingering = new Set<string>();

export function keepUntilMovedOn(changed: readonly string[]): void {
  for (const id of changed) lingering.add(id);
}
