// Recipients that say what happens to them: `fault+450-4.2.2@…` is refused, mail to `bounce+5.1.1@…` is accepted and
// comes back.
import type { FaultHit, FaultReply } from "./rule.ts";

const FAULT = /^fault\+(?:([45]\d\d)(?:-([45]\.\d{1,3}\.\d{1,3}))?(?=@)|(?=.))/i;
const BOUNCE = /^bounce\+(?:([45]\.\d{1,3}\.\d{1,3})(?=@)|(?=.))/i;

const hit = (reply: FaultReply): FaultHit => ({
  rule: "fault-addresses",
  reply,
  delayMs: 0,
  bytesPerSecond: 0,
  drop: false,
});

const misspelt = (expected: string) =>
  hit({ code: 501, enhanced: "5.1.3", text: `Not understood; write ${expected}` });

/**
 * Null for a recipient that is accepted. A misspelt fault address is refused, so that no test relies on it by mistake.
 */
export function addressFault(address: string): FaultHit | null {
  const [isFault, code, given] = FAULT.exec(address) ?? [];
  if (isFault !== undefined) {
    const enhanced = given ?? `${code?.[0]}.0.0`;
    if (code === undefined || enhanced[0] !== code[0]) return misspelt("fault+450@ or fault+450-4.2.2@");
    return hit({ code: Number(code), enhanced, text: "Refused on purpose, as the address asks" });
  }
  const [isBounce] = BOUNCE.exec(address) ?? [];
  return isBounce !== undefined && bounceStatus(address) === null ? misspelt("bounce+5.1.1@") : null;
}

/** The status with which mail to this recipient bounces, or null. */
export const bounceStatus = (address: string): string | null => BOUNCE.exec(address)?.[1] ?? null;
