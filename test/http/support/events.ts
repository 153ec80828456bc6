// A WebSocket client that keeps every frame.
import { until } from "../../support/until.ts";

export async function listen(address: string, headers: Readonly<Record<string, string>> = {}) {
  const socket = new WebSocket(address.replace("http", "ws"), { headers } as never);
  const frames: string[] = [];
  const { promise: closed, resolve } = Promise.withResolvers<CloseEvent>();
  socket.onmessage = ({ data }) => frames.push(String(data));
  socket.onclose = resolve;
  await new Promise((opened, failed) => {
    socket.onopen = opened;
    socket.onerror = failed;
  });
  return {
    frames,
    closed,
    socket,
    async until(count: number): Promise<string[]> {
      await until(() => frames.length >= count);
      return frames;
    },
  };
}
