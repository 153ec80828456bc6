// Lets other work of the event loop run first.

export const nextTurn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
