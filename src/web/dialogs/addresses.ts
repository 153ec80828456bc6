// Addresses as people type them, apart by commas, semicolons or white space, or with names as they are copied from the
// head of a message: there a name has no quotes, also where it has a comma or is the address itself. Within quotes these
// signs are part of one.

const QUOTED = String.raw`"(?:\\.|[^"\\])*"`;
/** Not longer than any name is: words without an address would be gone through anew behind each of their commas. */
const NAME = String.raw`(?:${QUOTED}|[^@<>";\n]){0,200}|[^\S\n]*(?<same>[^\s<>",;]+)\s+(?=<\k<same>>)`;
const ITEM = new RegExp(String.raw`(?:${NAME})<(?<named>[^\s<>]+)>|(?:${QUOTED}|[^,;\n"])+`, "gi");
const ADDRESS = new RegExp(String.raw`(?:${QUOTED}|[^\s,;"])+`, "g");

export function readAddresses(typed: string): string[] {
  return [...typed.matchAll(ITEM)].flatMap(
    ({ 0: item, groups }) => groups?.named ?? item.match(ADDRESS) ?? [],
  );
}
