// Addresses as people type them, apart by commas, semicolons or white space. Within quotes these are part of one.

const ADDRESS = /(?:"(?:\\.|[^"\\])*"|[^\s,;"])+/g;

export const readAddresses = (typed: string): string[] => typed.match(ADDRESS) ?? [];
