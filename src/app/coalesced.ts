// Work that never runs twice at the same time. Calls during a run cause one more run.

/**
 * A call resolves when no run is under way or due any more. If a run fails, all calls so far are
 * rejected, and no run follows until the next call.
 */
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
