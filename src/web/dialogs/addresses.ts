// Addresses as people type them, apart by commas, semicolons or white space, or with names as they are copied from the
// head of a message. Within quotes these signs are part of one.

const ITEM = /(?:"(?:\\.|[^"\\])*"|[^,;\n"])+/g;
const NAMED = /^(?:"(?:\\.|[^"\\])*"|[^@<>"])*<([^\s<>]+)>\s*$/;
const ADDRESS = /(?:"(?:\\.|[^"\\])*"|[^\s,;"])+/g;

export function readAddresses(typed: string): string[] {
  const items = typed.match(ITEM) ?? [];
  return items.flatMap((item) => NAMED.exec(item)?.[1] ?? item.match(ADDRESS) ?? []);
}
