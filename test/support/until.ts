// Waits for a condition that no event announces. The deadline is for tests that hang, not for a slow machine.
const DEADLINE_MS = 240_000;

export async function until(holds: () => boolean | Promise<boolean>, what = String(holds)): Promise<void> {
  const deadline = performance.now() + DEADLINE_MS;
  // The pauses grow, because each check costs processor time.
  for (let pauseMs = 2; !(await holds()); pauseMs = Math.min(pauseMs * 1.5, 50)) {
    if (performance.now() > deadline) throw new Error(`waited ${DEADLINE_MS} ms for: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, pauseMs));
  }
}
