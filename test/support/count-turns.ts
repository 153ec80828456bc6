// Counts the turns of the event loop: how often others could act while something was done.

/** Returns the function that stops and tells how many there were. */
export function countTurns(): () => number {
  let turns = 0;
  let isDone = false;
  const count = () => {
    turns++;
    if (!isDone) setImmediate(count);
  };
  count();
  return () => {
    isDone = true;
    return turns;
  };
}
