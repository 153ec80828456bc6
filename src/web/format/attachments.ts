// Kinds of attachments that the page can show, and readers for tables, events and archives.
import type { Attachment } from "../../model/index.ts";

export type AttachmentKind = "image" | "pdf" | "text" | "table" | "event" | "message" | "archive";

/** Patterns of content types and file names. The extension .svg is not enough: SVG must be sent with its own type. */
const KINDS: readonly (readonly [RegExp, AttachmentKind])[] = [
  [/^image\/|\.(png|jpe?g|gif|webp|avif|bmp|ico)$/, "image"],
  [/[./]pdf$/, "pdf"],
  [/\/(csv|tab-separated-values)$|\.[ct]sv$/, "table"],
  [/\/calendar$|\.ics$/, "event"],
  [/\/rfc822$|\.eml$/, "message"],
  [/\/(x-)?zip(-compressed)?$|\.(zip|docx|xlsx|pptx|jar)$/, "archive"],
  [/^text\/|[/+](json|xml|javascript|yaml)$/, "text"],
  [/\.(txt|log|md|json|xml|html?|css|m?[jt]s|ya?ml|toml|ini|sql|sh|diff|patch)$/, "text"],
];

export function kindOf({ content_type, filename }: Attachment): AttachmentKind | undefined {
  const of = (name: string) => KINDS.find(([pattern]) => pattern.test(name.toLowerCase()))?.[1];
  const isVague = /^(application\/octet-stream|text\/plain)$/i.test(content_type);
  return (isVague ? of(filename) : undefined) ?? of(content_type);
}

/** RFC 4180: a field in quotes may contain separators and line breaks. */
export function readCsv(text: string, mostRows: number): string[][] {
  const first = text.slice(0, text.search(/\r?\n|$/)).replace(/"[^"]*"/g, "");
  const separator = ["\t", ";", ","].find((sign) => first.includes(sign)) ?? ",";
  const rows: string[][] = [[]];
  let field = "";
  let isQuoted = false;
  const endField = () => {
    rows.at(-1)?.push(field);
    field = "";
  };
  for (let at = 0; at < text.length && rows.length <= mostRows; at++) {
    const sign = text[at];
    if (isQuoted) {
      if (sign !== '"') field += sign;
      else if (text[at + 1] === '"') field += text[at++];
      else isQuoted = false;
    } else if (sign === '"' && field === "") isQuoted = true;
    else if (sign === separator) endField();
    else if (sign === "\n") {
      endField();
      rows.push([]);
    } else if (sign !== "\r") field += sign;
  }
  if (field !== "" || rows.at(-1)?.length) endField();
  return rows.filter((row) => row.length > 0).slice(0, mostRows);
}

interface Field {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

/** The first events of an iCalendar file (RFC 5545). */
export function readCalendar(text: string, mostEvents: number) {
  const lines = text.replace(/\r?\n[ \t]/g, "").split(/\r?\n/);
  const fields = lines.flatMap((line): Field[] => {
    const [, name, parameters = "", value = ""] =
      /^([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? [];
    return name ? [{ name: name.toUpperCase(), parameters, value }] : [];
  });
  const events: Field[][] = [];
  // An event may contain alarms, which have descriptions and attendees of their own.
  const open: string[] = [];
  for (const field of fields) {
    if (field.name === "END") open.pop();
    else if (field.name === "BEGIN") {
      open.push(field.value.toUpperCase());
      if (open.at(-1) === "VEVENT") events.push([]);
    } else if (open.at(-1) === "VEVENT") events.at(-1)?.push(field);
  }
  return events.slice(0, mostEvents).map(readEvent);
}

function readEvent(fields: readonly Field[]) {
  const first = (wanted: string) => fields.find(({ name }) => name === wanted);
  const text = (name: string) => unescaped(first(name)?.value ?? "");
  return {
    summary: text("SUMMARY"),
    start: readTime(first("DTSTART")),
    end: readTime(first("DTEND")),
    repetition: inWords(text("RRULE")),
    location: text("LOCATION"),
    description: text("DESCRIPTION"),
    organizer: person(first("ORGANIZER")),
    attendees: fields.filter(({ name }) => name === "ATTENDEE").map(person),
  };
}

const unescaped = (value: string) =>
  value.replace(/\\([n,;\\])/gi, (_, sign) => (/n/i.test(sign) ? "\n" : sign));

function person(field: Field | undefined): string {
  if (!field) return "";
  const address = field.value.replace(/^mailto:/i, "");
  const name = /;CN=(?:"([^"]*)"|([^;:]*))/i.exec(field.parameters);
  const shown = name?.[1] ?? name?.[2];
  const [, answer = ""] = /;PARTSTAT=([\w-]+)/i.exec(field.parameters) ?? [];
  const said = answer && ` (${answer.toLowerCase().replace("needs-action", "no answer yet")})`;
  return (shown ? `${shown} <${address}>` : address) + said;
}

const SPANS: Record<string, string> = { DAILY: "day", WEEKLY: "week", MONTHLY: "month", YEARLY: "year" };
const DAYS = ["Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"];

/** Describes the common rules for repetition. Any other rule is shown as it is written. */
function inWords(rule: string): string {
  const part = (name: string) => new RegExp(`(?:^|;)${name}=([^;]*)`).exec(rule)?.[1] ?? "";
  const [span, interval, until] = [SPANS[part("FREQ")], Number(part("INTERVAL")), part("UNTIL")];
  if (!span || /;BY(?!DAY=[A-Z,]+(?:;|$))/.test(rule)) return rule;
  const days = DAYS.filter((day) => part("BYDAY").includes(day.slice(0, 2).toUpperCase()));
  return [
    interval > 1 ? `every ${interval} ${span}s` : `every ${span}`,
    days.length > 0 && `on ${days.join(", ")}`,
    part("COUNT") && `${part("COUNT")} times`,
    until && `until ${readTime({ name: "UNTIL", parameters: "", value: until })}`,
  ]
    .filter(Boolean)
    .join(", ");
}

/** Converts UTC to the reader's zone. Other times are not converted; a named zone is added. */
function readTime(field: Field | undefined): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(field?.value ?? "") ?? [];
  if (!field || year === undefined) return field?.value ?? "";
  const instant = new Date(`${year}-${month}-${day}T${hour}:${minute}:00Z`);
  if (utc && !Number.isNaN(instant.getTime())) return instant.toLocaleString();
  const zone = /;TZID=([^;:]+)/i.exec(field.parameters)?.[1];
  return `${year}-${month}-${day}${hour ? ` ${hour}:${minute}` : ""}${zone ? ` (${zone})` : ""}`;
}

const END = 0x06054b50;
const ENTRY = 0x02014b50;
const END_BYTES = 22;
const ENTRY_BYTES = 46;

/** The files of a ZIP, from its central directory (APPNOTE 4.3.12). Undefined without one. */
export function readZip(buffer: ArrayBuffer) {
  const view = new DataView(buffer);
  let end = buffer.byteLength - END_BYTES;
  while (end >= 0 && view.getUint32(end, true) !== END) end--;
  if (end < 0) return undefined;
  const entries: { name: string; size: number }[] = [];
  const text = new TextDecoder();
  let at = view.getUint32(end + 16, true);
  for (let left = view.getUint16(end + 10, true); left > 0; left--) {
    if (at + ENTRY_BYTES > end || view.getUint32(at, true) !== ENTRY) break;
    const length = view.getUint16(at + 28, true);
    const name = text.decode(buffer.slice(at + ENTRY_BYTES, at + ENTRY_BYTES + length));
    entries.push({ name, size: view.getUint32(at + 24, true) });
    at += ENTRY_BYTES + length + view.getUint16(at + 30, true) + view.getUint16(at + 32, true);
  }
  return entries;
}
