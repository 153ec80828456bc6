// Mailpit's WebSocket: our events in Mailpit's format.
import type { InboxEvent } from "../../../model/index.ts";
import type { Client, ClientData } from "../../websocket/event-stream.ts";
import type { Call } from "../route.ts";
import { summaryOf } from "./shapes.ts";

const MAX_WAITING_BYTES = 4 * 1024 ** 2;
const MAX_WAITING_EVENTS = 10_000;

/** A client of the stream that gets these frames in place of ours, in the order of the events. */
export function eventClient(call: Call): Omit<ClientData, "stream" | "ended"> {
  let unsubscribe = () => {};
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  const tell = async (client: Client, event: InboxEvent | null) => {
    const [Type, Data] = (event && (await frameOf(call, event))) ?? [];
    const { messages: Total, unread: Unread } = await call.mail.stats();
    if (Type) client.send(JSON.stringify({ Type, Data }));
    client.send(JSON.stringify({ Type: "stats", Data: { Total, Unread, Version: call.facts.version } }));
    waiting--;
  };
  const inTurn = (client: Client, event: InboxEvent | null) => {
    const isSlow = ++waiting > MAX_WAITING_EVENTS || client.getBufferedAmount() > MAX_WAITING_BYTES;
    if (isSlow) client.close(1013, "too slow: reload");
    // A mail that cannot be read was deleted; the next event says so.
    last = last.then(() => tell(client, event)).catch(() => {});
  };
  const open = (client: Client) => {
    inTurn(client, null);
    unsubscribe = call.eventsOf(call.request).subscribe((event) => inTurn(client, event));
  };
  const elsewhere = { open, close: () => unsubscribe() };
  return { resume: false, preview: false, since: undefined, elsewhere };
}

async function frameOf(call: Call, event: InboxEvent): Promise<[type: string, data: unknown] | null> {
  if (event.type === "messages:clear") return ["truncate", null];
  const { id: ID } = event.data;
  if (event.type === "message:new") return ["new", await summaryOf(call, event.data)];
  if (event.type === "message:delete") return ["delete", { ID }];
  if (event.type === "message:read") return ["update", { ID, Read: event.data.is_read }];
  return event.type === "message:tags" ? ["update", { ID, Tags: event.data.tags }] : null;
}
