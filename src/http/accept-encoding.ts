// Accept-Encoding (RFC 9110, 12.5.3): which of our codings the client likes best.

/** In the order of our own preference, which decides between equal weights. */
const CODINGS = ["zstd", "gzip"] as const;
export type Coding = (typeof CODINGS)[number];
type Encoding = Coding | "identity";

export function preferredEncoding(header: string, offered: readonly Coding[] = CODINGS): Encoding {
  if (header === "") return "identity";
  const weights = new Map<string, number>();
  for (const item of header.split(",")) {
    const [name = "", ...parameters] = item.split(";");
    weights.set(name.trim().toLowerCase(), weightOf(parameters));
  }
  let best: Encoding = "identity";
  let bestWeight = 0;
  for (const coding of offered) {
    const weight = weights.get(coding) ?? weights.get("*") ?? 0;
    if (weight <= bestWeight) continue;
    best = coding;
    bestWeight = weight;
  }
  return bestWeight >= (weights.get("identity") ?? 0) ? best : "identity";
}

function weightOf(parameters: readonly string[]): number {
  for (const parameter of parameters) {
    const match = /^\s*q\s*=\s*([01](?:\.\d{0,3})?)\s*$/i.exec(parameter);
    if (match?.[1]) return Number(match[1]);
  }
  return 1;
}
