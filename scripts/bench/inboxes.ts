// Many inboxes on one server: the cost of creating one, and the same questions to one inbox and to all mail.
import { flood } from "./flood.ts";
import { startMailkeep, total } from "./mailkeep.ts";
import { COMMON_WORDS } from "./mails.ts";
import { timeOf } from "./reading.ts";
import { count, median, type Report, under } from "./table.ts";

const SECTION = "Inboxes";
const MAILS_EACH = 100;
const CONNECTIONS = 8;
/** A request to one inbox must not be slower than to all mail. A difference below this factor is noise. */
const NOISE = 1.25;

const QUESTIONS: Readonly<Record<string, readonly string[]>> = {
  "first page": ["/messages?limit=50"],
  "unread page": ["/messages?limit=50&unread=true"],
  "common search with total": COMMON_WORDS.map((word) => `/messages?q=${word}`),
  "count by subject": ["/assert/count?min=1&subject=order"],
  "wait for what is there": ["/messages/wait?timeout=1s&unread=true"],
};

export async function measureInboxes(
  executable: string,
  folder: string,
  inboxes: number,
  { tell, add }: Report,
): Promise<void> {
  const server = await startMailkeep(executable, folder);
  const api = `${server.http}/api/v1`;
  const names = Array.from({ length: inboxes }, (_, at) => `box-${at}`);
  tell(`creating ${count(inboxes)} inboxes with ${MAILS_EACH} mails each …`);
  const times: number[] = [];
  for (const name of names) {
    const started = performance.now();
    const { status } = await fetch(`${api}/inboxes/${name}`, { method: "PUT" });
    times.push(performance.now() - started);
    if (status !== 201) throw new Error(`creating ${name} answered ${status}`);
  }
  add({ section: SECTION, name: "creating one", value: median(times), unit: "ms", target: under(5) });
  const mails = inboxes * MAILS_EACH;
  const started = performance.now();
  await flood(server.smtpPort, {
    kind: "small",
    mails,
    connections: CONNECTIONS,
    kept: true,
    inboxes: names,
  });
  await total(server.http, `q=number${mails}`);
  const rate = (mails / (performance.now() - started)) * 1000;
  add({ section: SECTION, name: "mail into all of them", value: rate, unit: "mails/s" });
  for (const [name, paths] of Object.entries(QUESTIONS)) {
    const all = await timeOf(paths.map((path) => api + path));
    const one = await timeOf(paths.map((path) => `${api}/inboxes/${names[inboxes >> 1]}${path}`));
    const note = `${all.toFixed(2)} ms of all ${count(mails)} mails`;
    add({ section: SECTION, name, value: one, unit: "ms", target: under(all * NOISE), note });
  }
  await server.stop();
}
