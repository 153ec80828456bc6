// Live events over the WebSocket that is part of every current runtime (Node from 22 on).
import { MailkeepError, UnreachableError } from "./errors.ts";
import type { Transport } from "./transport.ts";
import type { InboxEvent, ServiceInfo } from "./types.ts";

export interface Subscription {
  close(): void;
  /** Resolves when the connection has ended, on either side. */
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
  const socket = transport.openWebSocket("/api/v1/ws");
  const opened = new Promise<true>((resolve) => socket.addEventListener("open", () => resolve(true)));
  const closed = new Promise<void>((resolve) => {
    socket.addEventListener("close", () => resolve());
    // If the connection fails, Node 22 reports only this event.
    socket.addEventListener("error", () => resolve());
  });
  socket.addEventListener("message", ({ data }) => onEvent(JSON.parse(String(data)) as InboxEvent));
  if (!(await Promise.race([opened, closed]))) {
    // A WebSocket does not say why it was refused, so another request finds out.
    await transport.json<ServiceInfo>("/api/v1/info", "name");
    throw new UnreachableError(transport.url, "the WebSocket was refused");
  }
  return { close: () => socket.close(), closed };
}
