// SHA256SUMS: one line for each download, in the format of sha256sum.

export const SUMS_FILE = "SHA256SUMS";

export const sha256 = (bytes: Uint8Array): string => Bun.SHA256.hash(bytes, "hex");

export function formatSums(sums: ReadonlyMap<string, string>): string {
  const names = [...sums.keys()].sort();
  return names.map((name) => `${sums.get(name)}  ${name}\n`).join("");
}

export function parseSums(text: string): Map<string, string> {
  const lines = text.split("\n").filter((line) => line !== "");
  return new Map(
    lines.map((line) => {
      const [, sum, name] = /^([0-9a-f]{64}) [ *](\S+)$/.exec(line) ?? [];
      if (sum === undefined || name === undefined) throw new Error(`not a line of ${SUMS_FILE}: ${line}`);
      return [name, sum];
    }),
  );
}
