// Counts values by their size, for Prometheus. The sums are made on request.

export class Histogram {
  readonly bounds: readonly number[];
  /** One count for each bound, without the values below the bound before it; the last counts larger values. */
  readonly counts: number[];
  sum = 0;

  /** Upper bounds, ascending. */
  constructor(bounds: readonly number[]) {
    this.bounds = bounds;
    this.counts = Array<number>(bounds.length + 1).fill(0);
  }

  observe(value: number): void {
    let at = 0;
    while (at < this.bounds.length && value > (this.bounds[at] as number)) at++;
    this.counts[at] = (this.counts[at] as number) + 1;
    this.sum += value;
  }
}

/** For spans of time in seconds. */
export const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];
