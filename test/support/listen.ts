// A WebSocket client that keeps every frame.
import type { Summary } from "./mailbox.ts";

export interface Frame {
  readonly type: string;
  /** Only if the query has `resume=true` or `since`. */
  readonly seq?: number;
  readonly data: Summary;
}

export interface Listener {
  readonly frames: Frame[];
  /** The code with which the connection ends. */
  readonly closed: Promise<number>;
  close(): void;
}

export async function listen(http: string, query: string): Promise<Listener> {
  const socket = new WebSocket(`${http.replace("http", "ws")}/api/v1/ws?${query}`);
  const frames: Frame[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<number>();
  socket.onmessage = ({ data }) => frames.push(JSON.parse(data));
  socket.onclose = ({ code }) => resolve(code);
  await new Promise<void>((opened, failed) => {
    socket.onopen = () => opened();
    socket.onerror = () => failed(new Error("no WebSocket"));
  });
  return { frames, closed, close: () => socket.close() };
}
