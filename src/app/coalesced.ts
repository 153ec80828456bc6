// Work that never runs twice at a time. Calls during a run cause one more run.

/** Each call resolves when all runs are over. A failed run is the last, and rejects all calls. */
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
      // An await between the last check of `again` and this line would lose a call.
      running = null;
    }
  };
  return () => {
    again = true;
    running ??= run();
    return running;
  };
}
