// The trend of memory use: a line through the lowest values of short windows. Higher values contain garbage that is not
// collected yet.

export interface Sample {
  readonly seconds: number;
  readonly value: number;
}

const WINDOW_SECONDS = 10;

export function lowest(samples: readonly Sample[]): Sample[] {
  const windows = Map.groupBy(samples, ({ seconds }) => Math.floor(seconds / WINDOW_SECONDS));
  return [...windows.values()].map((window) =>
    window.reduce((low, one) => (one.value < low.value ? one : low)),
  );
}

/** Least squares over the lowest values: the slope per minute. NaN for fewer than two windows. */
export function slopePerMinute(samples: readonly Sample[]): number {
  const points = lowest(samples);
  const mean = (of: (point: Sample) => number) =>
    points.reduce((sum, point) => sum + of(point), 0) / points.length;
  const [x, y] = [mean(({ seconds }) => seconds), mean(({ value }) => value)];
  const covariance = mean(({ seconds, value }) => (seconds - x) * (value - y));
  const variance = mean(({ seconds }) => (seconds - x) ** 2);
  return (covariance / variance) * 60;
}
