// Metrics as text: the format of Prometheus (0.0.4) and, for clients that accept it, OpenMetrics 1.0. The two differ in
// the headings of counters and in the last line.
import type { Histogram } from "../lib/histogram.ts";

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [value: number, labels?: Labels];

export interface Family {
  readonly name: string;
  readonly help: string;
  /** Names of counters end with `_total`. */
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly (Sample | readonly [value: Histogram, labels?: Labels])[];
}

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

export function exposition(families: readonly Family[], accept: string): { type: string; text: string } {
  const isOpen = accept
    .split(",")
    .some((type) => type.includes("application/openmetrics-text") && !/;\s*q=0(?:\.0*)?\s*$/i.test(type));
  const lines = families.flatMap((family) => linesOf(family, isOpen));
  const text = [...lines, ...(isOpen ? ["# EOF"] : []), ""].join("\n");
  return { type: isOpen ? OPEN_METRICS : PROMETHEUS, text };
}

function linesOf({ name, help, type, samples }: Family, isOpen: boolean): string[] {
  const title = isOpen && type === "counter" ? name.replace(/_total$/, "") : name;
  const heading = [`# HELP ${title} ${help}`, `# TYPE ${title} ${type}`];
  const values = samples.flatMap(([value, labels = {}]) =>
    typeof value === "number" ? [line(name, labels, value)] : histogramLines(name, labels, value),
  );
  return [...heading, ...values];
}

function histogramLines(name: string, labels: Labels, { bounds, counts, sum }: Histogram): string[] {
  let count = 0;
  const buckets = counts.map((here, at) => {
    count += here;
    const le = bounds[at] === undefined ? "+Inf" : float(bounds[at]);
    return line(`${name}_bucket`, { ...labels, le }, count);
  });
  return [...buckets, line(`${name}_sum`, labels, sum), line(`${name}_count`, labels, count)];
}

function line(name: string, labels: Labels, value: number): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escaped(text)}"`);
  return `${name}${pairs.length > 0 ? `{${pairs.join(",")}}` : ""} ${value}`;
}

/** OpenMetrics wants bounds to be written as floating-point numbers. */
const float = (value: number): string => (Number.isInteger(value) ? `${value}.0` : String(value));

const escaped = (text: string): string =>
  text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("\n", "\\n");
