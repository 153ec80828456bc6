// Waits for a condition that no event announces, with a deadline: for what hangs, not for what is slow.
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = String(holds),
  deadlineMs = 240_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
}
