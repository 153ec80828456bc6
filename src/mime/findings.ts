// What was read out of a message, and whether that is all there is to it.

export interface Outcome {
  /** False when the message was too much: there may be more than was found within the limits. */
  readonly parsed: boolean;
  /** True when the parser had no time: another time may give more. */
  readonly mayImprove: boolean;
}

export interface Findings<Found> extends Outcome {
  readonly found: Found;
}

const WHOLE: Outcome = { parsed: true, mayImprove: false };
const CUT: Outcome = { parsed: false, mayImprove: false };
export const OUT_OF_TIME: Outcome = { parsed: false, mayImprove: true };

export const wholeIf = (isAll: boolean): Outcome => (isAll ? WHOLE : CUT);

/** Of what was read from several sources. */
export const together = (...outcomes: readonly Outcome[]): Outcome => ({
  parsed: outcomes.every(({ parsed }) => parsed),
  mayImprove: outcomes.some(({ mayImprove }) => mayImprove),
});
