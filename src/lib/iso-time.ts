// Instants in ISO 8601. Mails of a burst share their millisecond, so the last one written is kept.

let lastMs = Number.NaN;
let lastText = "";

export function isoTime(ms: number): string {
  if (ms !== lastMs) {
    lastText = new Date(ms).toISOString();
    lastMs = ms;
  }
  return lastText;
}
