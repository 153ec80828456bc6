// Turns the measured rounds into lines of the table, which compare Mailkeep with the other servers.
import type { Load } from "./flood.ts";
import type { ServerUnderTest } from "./server.ts";
import { count, type Figure, median, range, type Target } from "./table.ts";

export interface IngestCase {
  readonly load: Load;
  /** The targets of both rates are shares of smtp-sink's rate. */
  readonly acknowledged?: Target;
  readonly searchable?: Target;
  /** The target of the acknowledged rate as a multiple of the fastest peer's. */
  readonly peers?: Target;
}

export interface Turn {
  readonly acknowledged: number;
  readonly searchable: number;
  readonly cpuMicroseconds: number;
  readonly peakMegabytes: number;
}

export interface Measured {
  readonly server: ServerUnderTest;
  readonly turns: readonly Turn[];
}

/** The measurements during one run of Mailkeep: Mailkeep first, then the other servers. */
export type Start = readonly Measured[];

export const nameOf = ({ kind, connections, kept }: Load): string =>
  `${kind}, ${connections} ${kept ? "kept" : "single"}`;

const SECTION = "Ingest";

type Rate = "acknowledged" | "searchable";

const each = (turns: readonly Turn[], key: keyof Turn) => turns.map((turn) => turn[key]);
const rateOf = (turns: readonly Turn[], key: Rate = "acknowledged") => median(each(turns, key));

function costOf(turns: readonly Turn[]): string {
  const peak = Math.max(...each(turns, "peakMegabytes"));
  return `${count(median(each(turns, "cpuMicroseconds")))} µs, ${count(peak)} MB`;
}

const isSink = ({ server }: Measured) => server.finds === null;
const turnsOfMailkeep = ([mailkeep]: Start) => mailkeep?.turns ?? [];
const turnsOfSink = (start: Start) => start.find(isSink)?.turns ?? [];

/** Mailkeep's rate in each round, divided by smtp-sink's acknowledged rate in the same round. */
function sharesOf(start: Start, key: Rate): number[] {
  const sink = turnsOfSink(start);
  return turnsOfMailkeep(start).map((turn, round) => turn[key] / (sink[round]?.acknowledged ?? Number.NaN));
}

/** The lowest and the highest median share of several starts. */
function rangeOf(starts: readonly Start[]): string {
  if (starts.length < 2) return "";
  const shares = starts.map((start) => median(sharesOf(start, "acknowledged")));
  return `, ${range(shares)} by start`;
}

function rateFigures(name: string, own: readonly Turn[]): Figure[] {
  return [
    {
      section: SECTION,
      name: `${name}: acknowledged`,
      value: rateOf(own),
      unit: "mails/s",
      note: costOf(own),
    },
    {
      section: SECTION,
      name: `${name}: searchable`,
      value: rateOf(own, "searchable"),
      unit: "mails/s",
    },
  ];
}

function shareFigures(name: string, starts: readonly Start[], ingest: IngestCase): Figure[] {
  const own = starts.flatMap(turnsOfMailkeep);
  const sink = starts.flatMap(turnsOfSink);
  const share = (key: Rate) => median(starts.flatMap((start) => sharesOf(start, key)));
  return [
    {
      section: SECTION,
      name: `${name}: acknowledged`,
      value: share("acknowledged"),
      unit: "ratio",
      target: ingest.acknowledged,
      note: `${count(rateOf(own))} of ${count(rateOf(sink))}/s, ${costOf(own)}${rangeOf(starts)}`,
    },
    {
      section: SECTION,
      name: `${name}: searchable`,
      value: share("searchable"),
      unit: "ratio",
      target: ingest.searchable,
      note: `${count(rateOf(own, "searchable"))}/s`,
    },
  ];
}

function peerFigure(
  name: string,
  own: readonly Turn[],
  peers: readonly Measured[],
  target: Target | undefined,
): Figure {
  const fastest = Math.max(...peers.map(({ turns }) => rateOf(turns)));
  const note = peers.map(
    ({ server, turns }) =>
      `${server.name} ${count(rateOf(turns))}/s, searchable ${count(rateOf(turns, "searchable"))}/s`,
  );
  return {
    section: SECTION,
    name: `${name}: times the fastest peer`,
    value: rateOf(own) / fastest,
    unit: "times",
    target,
    note: note.join(", "),
  };
}

/** Peers are measured with the first start only. */
export function figuresOf(ingest: IngestCase, starts: readonly Start[]): Figure[] {
  const name = nameOf(ingest.load);
  const own = starts.flatMap(turnsOfMailkeep);
  const [, ...others] = starts[0] ?? [];
  const peers = others.filter((other) => !isSink(other));
  return [
    ...(others.some(isSink) ? shareFigures(name, starts, ingest) : rateFigures(name, own)),
    ...(peers.length > 0 ? [peerFigure(name, own, peers, ingest.peers)] : []),
  ];
}
