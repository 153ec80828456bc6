// Changes of the same mail, sent in the order they were made: on connections of their own, one may overtake another.

const last = new Map<string, Promise<unknown>>();

/** Sends at once where nothing of these mails is under way. */
export async function inTurn<T>(ids: readonly string[], send: () => Promise<T>): Promise<T> {
  const earlier = new Set(ids.flatMap((id) => last.get(id) ?? []));
  const sent = earlier.size === 0 ? send() : Promise.all(earlier).then(send);
  const decided = sent.catch(() => undefined);
  for (const id of ids) last.set(id, decided);
  try {
    return await sent;
  } finally {
    for (const id of ids) if (last.get(id) === decided) last.delete(id);
  }
}
