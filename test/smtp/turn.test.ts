// When replies are written: those of many clients together, that of one alone at once.
import { expect, test } from "bun:test";
import { type Speaker, Turn } from "../../src/smtp/turn.ts";

function listen() {
  const said: string[] = [];
  const speaker = (name: string): Speaker => ({ speak: () => said.push(name) });
  return { said, speaker };
}

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

test("clients that take turns speak at the end of the turn, in their order", async () => {
  const { said, speaker } = listen();
  const turn = new Turn();
  const [one, two] = [speaker("one"), speaker("two")];
  turn.add(one);
  turn.add(two);
  expect(said).toEqual([]);
  await endOfTurn();
  expect(said).toEqual(["one", "two"]);
});

test("a client alone waited for others that never came", async () => {
  const { said, speaker } = listen();
  const turn = new Turn();
  const alone = speaker("alone");
  turn.add(alone);
  await endOfTurn();
  turn.add(alone);
  expect(said).toEqual(["alone", "alone"]);
});

test("a client that comes back before the others have spoken does not overtake them", async () => {
  const { said, speaker } = listen();
  const turn = new Turn();
  const [one, two] = [speaker("one"), speaker("two")];
  turn.add(one);
  turn.add(two);
  turn.add(two);
  expect(said).toEqual([]);
  await endOfTurn();
  expect(said.slice(0, 2)).toEqual(["one", "two"]);
});
