// Who a mail is from and to, in as few words as possible.
import type { MessageSummary } from "../../model/index.ts";

export function senderName({ preview, sender }: MessageSummary): string {
  return preview?.from_name || preview?.from_address || sender || "(no sender)";
}

export const firstRecipient = ({ recipients }: MessageSummary): string => recipients[0] ?? "(no recipients)";

export function initials(name: string): string {
  const words = name.replace(/@.*/, "").match(/[\p{L}\p{N}]+/gu) ?? [];
  const letters = [words[0], words.length > 1 ? words.at(-1) : undefined].map(
    (word) => [...(word ?? "")][0] ?? "",
  );
  return letters.join("").toLocaleUpperCase() || "?";
}

export function hueOf(name: string): number {
  let hash = 7;
  for (const character of name.toLowerCase()) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) >>> 0;
  // Similar names are to get different hues.
  return Math.floor(((Math.imul(hash, 0x9e3779b1) >>> 0) / 2 ** 32) * 360);
}
