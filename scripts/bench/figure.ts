// One line of the table: what was measured, what it came to, and what it should be.

export type Unit = "mails/s" | "ratio" | "ms" | "MB" | "µs" | "times";

export interface Target {
  readonly is: "at least" | "under";
  readonly value: number;
}

export interface Figure {
  readonly section: string;
  readonly name: string;
  readonly value: number;
  readonly unit: Unit;
  readonly target?: Target | undefined;
  readonly note?: string | undefined;
}

/** What a measurement says as it goes on: figures that are there when the time is up are shown all the same. */
export interface Report {
  tell(text: string): void;
  /** A figure takes the place of an earlier one of the same name: it was measured once more. */
  add(...figures: readonly Figure[]): void;
}

export type Verdict = "ok" | "missed" | "";

export function verdictOf({ value, target }: Figure): Verdict {
  if (target === undefined) return "";
  const holds = target.is === "at least" ? value >= target.value : value < target.value;
  return holds ? "ok" : "missed";
}

export const atLeast = (value: number): Target => ({ is: "at least", value });
export const under = (value: number): Target => ({ is: "under", value });
