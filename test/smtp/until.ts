// Waits for a condition that no event announces, with a deadline.
export async function until(condition: () => boolean, what: string, deadlineMs = 15_000): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!condition()) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
}
