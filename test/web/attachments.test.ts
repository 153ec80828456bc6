// What the page reads from attachments, and the tree of a message's parts.
import { expect, test } from "bun:test";
import { readCalendar, readCsv, readZip } from "../../src/web/format/attachments.ts";
import { readSource } from "../../src/web/format/source.ts";

test("a separator within quotes does not split a table", () => {
  expect(readCsv('name,"note; more"\nAnn,"x"\n', 10)).toEqual([
    ["name", "note; more"],
    ["Ann", "x"],
  ]);
});

test("a table keeps separators and line breaks within quotes", () => {
  expect(readCsv('name;note\r\n"Lee; Ann";"two\nlines"\r\nBob;"say ""hi"""\r\n', 10)).toEqual([
    ["name", "note"],
    ["Lee; Ann", "two\nlines"],
    ["Bob", 'say "hi"'],
  ]);
});

test("an invitation tells its time, place and people", () => {
  const events = readCalendar(
    [
      "BEGIN:VCALENDAR",
      "METHOD:REQUEST",
      "BEGIN:VEVENT",
      "SUMMARY:Lunch\\, again",
      "DTSTART;TZID=Europe/Berlin:20261120T120000",
      "DTEND;VALUE=DATE:20261121",
      "LOCATION:Ro",
      " om 1",
      'ORGANIZER;CN="Lee, Ann":mailto:ann@example.com',
      "RRULE:FREQ=WEEKLY;INTERVAL=2;BYDAY=MO,FR;COUNT=10",
      "ATTENDEE:mailto:bob@example.com",
      "ATTENDEE;PARTSTAT=ACCEPTED;CN=Eve:mailto:eve@example.com",
      "ATTENDEE;PARTSTAT=NEEDS-ACTION:mailto:tom@example.com",
      "END:VEVENT",
      "END:VCALENDAR",
    ].join("\r\n"),
    10,
  );
  expect(events).toMatchObject([
    {
      summary: "Lunch, again",
      start: "2026-11-20 12:00 (Europe/Berlin)",
      end: "2026-11-21",
      location: "Room 1",
      organizer: "Lee, Ann <ann@example.com>",
      repetition: "every 2 weeks, on Mon, Fri, 10 times",
      attendees: ["bob@example.com", "Eve <eve@example.com> (accepted)", "tom@example.com (no answer yet)"],
    },
  ]);
});

test("an escaped backslash before an n is not a line break, and the last Friday is not every Friday", () => {
  const rule = "FREQ=MONTHLY;BYDAY=MO,-1FR";
  const lines = ["begin:vevent", `RRULE:${rule}`, "LOCATION:C:\\\\new\\, or\\nelsewhere", "end:vevent"];
  expect(readCalendar(lines.join("\n"), 1)).toMatchObject([
    { repetition: rule, location: "C:\\new, or\nelsewhere" },
  ]);
});

test("an event does not show the texts of its alarm", () => {
  const alarm = ["BEGIN:VALARM", "DESCRIPTION:Reminder", "ATTENDEE:mailto:a@x.test", "END:VALARM"];
  const lines = ["BEGIN:VEVENT", "SUMMARY:Lunch", ...alarm, "LOCATION:Rome", "END:VEVENT"];
  expect(readCalendar(lines.join("\n"), 1)).toMatchObject([
    { summary: "Lunch", location: "Rome", description: "", attendees: [] },
  ]);
});

test("an impossible time is shown as it is written", () => {
  const [event] = readCalendar("BEGIN:VEVENT\nDTSTART:20269901T100000Z\nEND:VEVENT\nDTEND:20261121", 1);
  expect(event).toMatchObject({ start: "2026-99-01 10:00", end: "" });
});

const NESTED = [
  "From: =?utf-8?Q?J=C3=BCrgen?= <j@example.com>",
  "Subject: Outer",
  "Content-Type: multipart/mixed; boundary=b",
  "",
  "--b",
  "Content-Type: text/plain; charset=utf-8",
  "Content-Transfer-Encoding: base64",
  "",
  Buffer.from("Grüße").toString("base64"),
  "--b",
  'Content-Type: application/pdf; name="a.pdf"',
  "",
  "%PDF",
  "--b",
  "Content-Type: message/rfc822",
  "",
  "Subject: Inner",
  "",
  "Hello",
  "--b--",
].join("\r\n");

test("the parts of a message form a tree with the lines where they begin", () => {
  const shape = ({ type, line, children }: ReturnType<typeof readSource>["tree"]): unknown => [
    type,
    line,
    ...children.map(shape),
  ];
  expect(shape(readSource(NESTED).tree)).toEqual([
    "multipart/mixed",
    0,
    ["text/plain", 4],
    ["application/pdf", 9],
    ["message/rfc822", 13, ["text/plain", 16]],
  ]);
});

test("an archive lists names and sizes, and any other file is not an archive", () => {
  const entry = Buffer.alloc(46 + 5);
  entry.writeUInt32LE(0x02014b50, 0);
  entry.writeUInt32LE(123, 24);
  entry.writeUInt16LE(5, 28);
  entry.write("a.txt", 46);
  const end = Buffer.alloc(22);
  end.writeUInt32LE(0x06054b50, 0);
  end.writeUInt16LE(1, 10);
  const bytes = Uint8Array.from(Buffer.concat([entry, end]));
  expect(readZip(bytes.buffer)).toEqual([{ name: "a.txt", size: 123 }]);
  expect(readZip(new ArrayBuffer(40))).toBeUndefined();
});
