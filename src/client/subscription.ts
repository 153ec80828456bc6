// Live events over the WebSocket that every current runtime brings along (Node from 22 on).
import { MailkeepError, UnreachableError } from "./errors.ts";
import type { Transport } from "./transport.ts";
import type { InboxEvent } from "./types.ts";

export interface Subscription {
  close(): void;
  /** Resolves when the connection has ended, whoever ended it. */
  readonly closed: Promise<void>;
}

/** Resolves when connected: no event after that is missed. */
export async function openSubscription(
  transport: Transport,
  onEvent: (event: InboxEvent) => void,
): Promise<Subscription> {
  if (typeof WebSocket === "undefined") {
    throw new MailkeepError(
      "subscribe() needs a WebSocket; Node has one from version 22 on.",
      "no_websocket",
    );
  }
  const socket = new WebSocket(transport.webSocketUrl("/api/v1/ws"));
  const closed = new Promise<void>((resolve) => socket.addEventListener("close", () => resolve()));
  socket.addEventListener("message", ({ data }) => onEvent(JSON.parse(String(data)) as InboxEvent));
  await new Promise<void>((resolve, reject) => {
    socket.addEventListener("open", () => resolve());
    socket.addEventListener("close", ({ reason }) =>
      reject(new UnreachableError(transport.url, reason || "the WebSocket was refused")),
    );
  });
  return { close: () => socket.close(), closed };
}
