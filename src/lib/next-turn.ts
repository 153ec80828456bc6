// Lets everybody else have a turn of the event loop first.

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
