// The events of an iCalendar file (RFC 5545), as far as a card shows them.

export interface CalendarEvent {
  readonly summary: string;
  readonly start: string;
  readonly end: string;
  readonly location: string;
  readonly description: string;
  readonly organizer: string;
  readonly attendees: readonly string[];
}

interface Field {
  readonly name: string;
  readonly parameters: string;
  readonly value: string;
}

export function readCalendar(text: string): CalendarEvent[] {
  const lines = text.replace(/\r?\n[ \t]/g, "").split(/\r?\n/);
  const fields = lines.flatMap((line): Field[] => {
    const [, name, parameters = "", value = ""] =
      /^([\w-]+)((?:;(?:"[^"]*"|[^":])*)?):(.*)$/.exec(line) ?? [];
    return name ? [{ name: name.toUpperCase(), parameters, value }] : [];
  });
  const events: CalendarEvent[] = [];
  for (let start = 0; start < fields.length; start++) {
    if (fields[start]?.name !== "BEGIN" || fields[start]?.value !== "VEVENT") continue;
    const end = fields.findIndex(({ name, value }, at) => at > start && name === "END" && value === "VEVENT");
    events.push(readEvent(fields.slice(start, end === -1 ? undefined : end)));
  }
  return events;
}

function readEvent(fields: readonly Field[]): CalendarEvent {
  const first = (wanted: string) => fields.find(({ name }) => name === wanted);
  const text = (name: string) => unescaped(first(name)?.value ?? "");
  return {
    summary: text("SUMMARY"),
    start: readTime(first("DTSTART")),
    end: readTime(first("DTEND")),
    location: text("LOCATION"),
    description: text("DESCRIPTION"),
    organizer: person(first("ORGANIZER")),
    attendees: fields.filter(({ name }) => name === "ATTENDEE").map(person),
  };
}

const unescaped = (value: string) => value.replace(/\\n/gi, "\n").replace(/\\([,;\\])/g, "$1");

function person(field: Field | undefined): string {
  if (!field) return "";
  const address = field.value.replace(/^mailto:/i, "");
  const name = /;CN=(?:"([^"]*)"|([^;:]*))/i.exec(field.parameters);
  const shown = name?.[1] ?? name?.[2];
  return shown ? `${shown} <${address}>` : address;
}

/** A time in UTC is shown in the time of the reader; any other as it is written, with its zone. */
function readTime(field: Field | undefined): string {
  const [, year, month, day, hour, minute, utc] =
    /^(\d{4})(\d\d)(\d\d)(?:T(\d\d)(\d\d)\d\d(Z?))?$/.exec(field?.value ?? "") ?? [];
  if (!field || year === undefined) return field?.value ?? "";
  if (utc) return new Date(`${year}-${month}-${day}T${hour}:${minute}:00Z`).toLocaleString();
  const zone = /;TZID=([^;:]+)/i.exec(field.parameters)?.[1];
  return `${year}-${month}-${day}${hour ? ` ${hour}:${minute}` : ""}${zone ? ` (${zone})` : ""}`;
}
