// Waits for frames of a WebSocket.

export const nextEvents = (socket: WebSocket, count: number): Promise<unknown[]> =>
  new Promise((resolve) => {
    const events: unknown[] = [];
    socket.addEventListener("message", ({ data }) => {
      events.push(JSON.parse(String(data)));
      if (events.length === count) resolve(events);
    });
  });
