// Waits for a condition that no event announces, with a deadline: for what hangs, not for what is slow.
export async function until(
  holds: () => boolean | Promise<boolean>,
  what = String(holds),
  deadlineMs = 240_000,
): Promise<void> {
  const deadline = performance.now() + deadlineMs;
  // What takes long may be asked for less often: to ask costs others of their time.
  for (let pauseMs = 2; !(await holds()); pauseMs = Math.min(pauseMs * 1.5, 50)) {
    if (performance.now() > deadline) throw new Error(`waited ${deadlineMs} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
