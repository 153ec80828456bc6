// Several clients are served together in a turn of the event loop. A lone client is served at once.
import { expect, test } from "bun:test";
import { type Party, Turn } from "../../src/smtp/turn.ts";

/** Makes a turn, and clients that ask to send a reply each time they handle input. */
function party() {
  const turn = new Turn();
  const done: string[] = [];
  const client = (name: string): Party => {
    const self: Party = {
      act: () => {
        done.push(`${name} acts`);
        turn.add(self);
      },
      speak: () => done.push(`${name} speaks`),
      settle: () => done.push(`${name} settles`),
    };
    return self;
  };
  return { turn, done, client };
}

const endOfTurn = () => new Promise((resolve) => setImmediate(resolve));

test("clients of one turn all act first, then all speak, then all settle", async () => {
  const { turn, done, client } = party();
  turn.arrive(client("one"));
  turn.arrive(client("two"));
  expect(done).toEqual([]);
  await endOfTurn();
  await endOfTurn();
  expect(done).toEqual(["one acts", "two acts", "one speaks", "two speaks", "one settles", "two settles"]);
});

test("replies of one turn are sent together, in order", async () => {
  const { turn, done, client } = party();
  turn.add(client("one"));
  turn.add(client("two"));
  expect(done).toEqual([]);
  await endOfTurn();
  expect(done.slice(0, 2)).toEqual(["one speaks", "two speaks"]);
});

test("a client that is alone does not wait for others", async () => {
  const { turn, done, client } = party();
  const alone = client("alone");
  turn.arrive(alone);
  await endOfTurn();
  await endOfTurn();
  done.length = 0;
  turn.arrive(alone);
  expect(done).toEqual(["alone acts", "alone speaks", "alone settles"]);
});

test("a client that comes back before the others have spoken does not overtake them", async () => {
  const { turn, done, client } = party();
  const [one, two] = [client("one"), client("two")];
  turn.add(one);
  turn.add(two);
  turn.add(two);
  expect(done).toEqual([]);
  await endOfTurn();
  expect(done.slice(0, 2)).toEqual(["one speaks", "two speaks"]);
});

test("clients that take long do not keep all others waiting for the last of them", async () => {
  const turn = new Turn();
  let acted = 0;
  const slow = (): Party => ({
    act: () => {
      const end = Bun.nanoseconds() + 4_000_000;
      while (Bun.nanoseconds() < end);
      acted++;
    },
    speak: () => {},
    settle: () => {},
  });
  for (let n = 0; n < 9; n++) turn.arrive(slow());
  expect(acted).toBe(0);
  await endOfTurn();
  expect(acted).toBeWithin(1, 8);
  for (let turns = 0; turns < 9; turns++) await endOfTurn();
  expect(acted).toBe(9);
});
