// Mailpit's WebSocket: the events of the inbox in its words.
import type { InboxEvent } from "../../../model/index.ts";
import type { Client, ClientData } from "../../websocket/event-stream.ts";
import type { Call } from "../route.ts";
import { summaryOf } from "./shapes.ts";

interface Frame {
  readonly Type: string;
  readonly Data: unknown;
}

const MAX_WAITING_BYTES = 4 * 1024 ** 2;
const MAX_WAITING_EVENTS = 10_000;

/** A client of the stream that gets these frames in place of ours, in the order of the events. */
export function eventClient(call: Call): Omit<ClientData, "stream" | "token"> {
  let unsubscribe = () => {};
  let last: Promise<void> = Promise.resolve();
  let waiting = 0;
  const tell = async (client: Client, event: InboxEvent | null) => {
    const frame = event && (await frameOf(call, event));
    const { messages: Total, unread: Unread } = await call.mail.stats();
    const stats: Frame = { Type: "stats", Data: { Total, Unread, Version: call.facts.version } };
    for (const told of frame ? [frame, stats] : [stats]) client.send(JSON.stringify(told));
    waiting--;
    if (client.getBufferedAmount() > MAX_WAITING_BYTES) client.close(1013, "too slow: reload");
  };
  const inTurn = (client: Client, event: InboxEvent | null) => {
    if (++waiting > MAX_WAITING_EVENTS) client.close(1013, "too slow: reload");
    // What cannot be read was deleted: that is the next event.
    last = last.then(() => tell(client, event)).catch(() => {});
  };
  const open = (client: Client) => {
    inTurn(client, null);
    unsubscribe = call.eventsOf(call.request).subscribe((event) => inTurn(client, event));
  };
  const elsewhere = { open, close: () => unsubscribe() };
  return { resume: false, preview: false, since: undefined, elsewhere };
}

async function frameOf(call: Call, event: InboxEvent): Promise<Frame | null> {
  if (event.type === "messages:clear") return { Type: "truncate", Data: null };
  const { id } = event.data;
  switch (event.type) {
    case "message:new":
      return { Type: "new", Data: await summaryOf(call, event.data) };
    case "message:read":
      return { Type: "update", Data: { ID: id, Read: event.data.is_read } };
    case "message:tags":
      return { Type: "update", Data: { ID: id, Tags: event.data.tags } };
    case "message:delete":
      return { Type: "delete", Data: { ID: id } };
    default:
      return null;
  }
}
