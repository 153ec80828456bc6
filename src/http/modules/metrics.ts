// `/metrics` for Prometheus. A request collects the counts that the parts of the server keep. Only
// stored mails and request times are counted here.
import { Type } from "@sinclair/typebox";
import { Histogram, SECONDS } from "../../lib/numbers.ts";
import { route, routes } from "../openapi/operation.ts";
import type { Dependencies, SmtpFigures } from "./dependencies.ts";

/** How long requests took, by method and status. */
export class RequestTimes {
  readonly #histograms = new Map<string, Histogram>();

  observe(method: string, status: number, ms: number): void {
    const key = `${KNOWN_METHODS.has(method) ? method : "other"} ${status}`;
    let histogram = this.#histograms.get(key);
    if (histogram === undefined) {
      histogram = new Histogram(SECONDS);
      this.#histograms.set(key, histogram);
    }
    histogram.observe(ms / 1000);
  }

  get samples(): Family["samples"] {
    return [...this.#histograms].map(([key, histogram]) => {
      const [method = "", status = ""] = key.split(" ");
      return [histogram, { method, status }] as const;
    });
  }
}

const KNOWN_METHODS = new Set(["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]);

export function metrics(options: Dependencies, requests: RequestTimes) {
  const stored = { mails: 0, bytes: 0 };
  options.store.onChange((change) => {
    if (change.kind !== "added") return;
    stored.mails++;
    stored.bytes += change.message.size;
  });
  return routes(
    "Service",
    route("getMetrics", "GET /metrics", "all", {
      summary: "Metrics for Prometheus",
      description:
        "As Prometheus text, or as OpenMetrics for clients that accept `application/openmetrics-text`.",
      responses: {
        200: {
          description: "All metrics.",
          content: {
            "text/plain": { schema: Type.String(), example: "mailkeep_messages 3\n" },
            "application/openmetrics-text": {
              schema: Type.String(),
              example: "mailkeep_messages 3\n# EOF\n",
            },
          },
        },
      },
      answer: async ({ request }) => {
        const families = [
          ...serviceFamilies(options),
          ...(await storeFamilies(options, stored)),
          ...smtpFamilies(options.facts.smtpFigures()),
          histogram(
            "mailkeep_http_request_duration_seconds",
            "Time to answer requests.",
            ...requests.samples,
          ),
          gauge("mailkeep_websocket_clients", "WebSocket clients connected now.", [
            options.events.clientCount,
          ]),
          ...deliveryFamilies(options),
        ];
        return exposition(families, request.headers.get("accept") ?? "");
      },
    }),
  );
}

const family =
  (type: Family["type"]) =>
  (name: string, help: string, ...samples: Family["samples"]): Family => ({ name, help, type, samples });
const counter = family("counter");
const gauge = family("gauge");
const histogram = family("histogram");

function serviceFamilies({ facts: { version, commit, startedAt } }: Dependencies): Family[] {
  const { user, system } = process.cpuUsage();
  return [
    gauge("mailkeep_build_info", "Always 1; its labels say what runs.", [1, { version, commit }]),
    gauge("process_start_time_seconds", "When the process started.", [startedAt.getTime() / 1000]),
    counter("process_cpu_seconds_total", "CPU time of the process.", [(user + system) / 1e6]),
    gauge("process_resident_memory_bytes", "Memory of the process.", [process.memoryUsage.rss()]),
  ];
}

async function storeFamilies(
  { store }: Dependencies,
  stored: { readonly mails: number; readonly bytes: number },
): Promise<Family[]> {
  const { messages, unread, message_bytes } = await store.stats();
  const { logBytes, indexBytes, groups, searches } = store.figures();
  return [
    counter("mailkeep_mails_stored_total", "Mails stored since the start.", [stored.mails]),
    counter("mailkeep_mail_bytes_stored_total", "Bytes of these mails.", [stored.bytes]),
    gauge("mailkeep_messages", "Mails in the mailbox.", [messages]),
    gauge("mailkeep_messages_unread", "Mails that are not read.", [unread]),
    gauge("mailkeep_message_bytes", "Bytes of the mails in the mailbox.", [message_bytes]),
    gauge("mailkeep_log_bytes", "Bytes of the log, including deleted mail that is not yet removed.", [
      logBytes,
    ]),
    gauge("mailkeep_index_bytes", "Bytes of the indexes.", [indexBytes]),
    histogram("mailkeep_commit_group_records", "Records that were written together.", [groups]),
    histogram("mailkeep_search_duration_seconds", "Time of full-text searches.", [searches]),
  ];
}

const smtpFamilies = ({ open, connections, turnedAway, commands, refusals }: SmtpFigures): Family[] => [
  gauge("mailkeep_smtp_open_connections", "SMTP clients connected now.", [open]),
  counter("mailkeep_smtp_connections_total", "SMTP clients since the start.", [connections]),
  counter("mailkeep_smtp_turned_away_total", "SMTP clients refused because of the limits.", [turnedAway]),
  counter(
    "mailkeep_smtp_commands_total",
    "SMTP commands, by verb.",
    ...Object.entries(commands).map(([verb, count]) => [count, { verb }] as const),
  ),
  counter(
    "mailkeep_smtp_refusals_total",
    "Replies that refuse something, by code and enhanced code; dropped is no reply, other is any code after the first 100.",
    ...[...refusals].map(([reply, count]) => [count, { reply }] as const),
  ),
];

function deliveryFamilies({ facts, relaying }: Dependencies): Family[] {
  const targets = [
    // Several webhooks may have the same origin, so a number tells them apart.
    ...facts.webhooks().map((state, at) => ({ ...state, kind: "webhook", number: String(at + 1) })),
    ...(relaying ? [{ ...relaying.state, kind: "relay", number: "1" }] : []),
  ];
  const outcomes = ["delivered", "failed", "skipped"] as const;
  return [
    gauge(
      "mailkeep_delivery_waiting",
      "Mails that wait for a webhook or the relay.",
      ...targets.map(
        ({ waiting, kind, origin, number }) => [waiting, { kind, target: origin, number }] as const,
      ),
    ),
    counter(
      "mailkeep_deliveries_total",
      "Mails that a webhook or the relay has finished, by outcome.",
      ...targets.flatMap(({ kind, origin, number, ...counts }) =>
        outcomes.map((outcome) => [counts[outcome], { kind, target: origin, number, outcome }] as const),
      ),
    ),
  ];
}

// The text format of Prometheus (0.0.4). OpenMetrics 1.0 differs in the headings of counters and in the last line.

type Labels = Readonly<Record<string, string>>;
type Sample = readonly [value: number, labels?: Labels];

interface Family {
  readonly name: string;
  readonly help: string;
  /** Names of counters end with `_total`. */
  readonly type: "counter" | "gauge" | "histogram";
  readonly samples: readonly (Sample | readonly [value: Histogram, labels?: Labels])[];
}

const PROMETHEUS = "text/plain; version=0.0.4; charset=utf-8";
const OPEN_METRICS = "application/openmetrics-text; version=1.0.0; charset=utf-8";

function exposition(families: readonly Family[], accept: string): Response {
  const isOpen = accept
    .split(",")
    .some((type) => type.includes("application/openmetrics-text") && !/;\s*q=0(?:\.0*)?\s*$/i.test(type));
  const lines = families.flatMap((family) => linesOf(family, isOpen));
  const text = [...lines, ...(isOpen ? ["# EOF"] : []), ""].join("\n");
  const type = isOpen ? OPEN_METRICS : PROMETHEUS;
  return new Response(text, { headers: { "content-type": type, "cache-control": "no-store" } });
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
