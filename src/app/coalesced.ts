// Work that never runs twice at a time. Calls during a run cause one more run.

/** Each call of the returned function resolves when no further run is needed. */
export function coalesced(work: () => Promise<void>): () => Promise<void> {
  let running: Promise<void> | null = null;
  let again = false;
  const run = async () => {
    try {
      while (again) {
        again = false;
        await work();
      }
    } finally {
      // Reset without an await after the last check, so that no call is missed.
      running = null;
    }
  };
  return () => {
    again = true;
    running ??= run();
    return running;
  };
}
