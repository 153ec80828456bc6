// What a stranger wrote into a mail, made harmless for a terminal.
import { CONTROL } from "../../lib/control-characters.ts";

export const printable = (text: string): string => text.replace(CONTROL, "\ufffd");

/** At most `width` characters; what is cut off is replaced by "…". */
export function fit(text: string, width: number): string {
  const characters = [...printable(text)];
  return characters.length > width ? `${characters.slice(0, width - 1).join("")}…` : characters.join("");
}
