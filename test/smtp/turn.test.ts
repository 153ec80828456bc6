// Several clients are served together in a turn of the event loop. A lone client is served at once.
import { expect, test } from "bun:test";
import { type Party, Turn } from "../../src/smtp/turn.ts";

/** Makes a turn, and clients that ask to send a reply each time they handle input. */
function party() {
  const turn = new Turn();
  const done: string[] = [];
  const client = (name: string, isBulky = false): Party => {
    const self: Party = {
      isBulky,
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
  turn.arrive(client("one"), false);
  turn.arrive(client("two"), false);
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
  turn.arrive(alone, false);
  await endOfTurn();
  await endOfTurn();
  done.length = 0;
  turn.arrive(alone, false);
  expect(done).toEqual(["alone acts", "alone speaks", "alone settles"]);
});

test("a client with much input does not act at once, so that others can act first", async () => {
  const { turn, done, client } = party();
  const alone = client("alone", true);
  turn.arrive(alone, false);
  await endOfTurn();
  await endOfTurn();
  done.length = 0;
  turn.arrive(alone, false);
  expect(done).toEqual([]);
  await endOfTurn();
  expect(done).toContain("alone acts");
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

test("clients that act at once still send their replies together", async () => {
  const { turn, done, client } = party();
  turn.arrive(client("one"), true);
  turn.arrive(client("two"), true);
  expect(done).toEqual(["one acts", "two acts"]);
  await endOfTurn();
  expect(done.slice(2, 4)).toEqual(["one speaks", "two speaks"]);
});

test("a client that has sent little goes before those that sent much before it", async () => {
  const { turn, done, client } = party();
  for (const name of ["one", "two"]) turn.arrive(client(name, true), false);
  turn.arrive(client("brief"), false);
  for (let turns = 0; turns < 5; turns++) await endOfTurn();
  const [first, ...others] = done.filter((deed) => !deed.endsWith("settles"));
  expect([first, ...others.slice(0, 3)]).toEqual(["brief acts", "brief speaks", "one acts", "two acts"]);
});

/** Makes a turn, and clients that take 4 ms to handle their input and send no replies. */
function slowly() {
  const turn = new Turn();
  let acted = 0;
  const slow = (isBulky: boolean): Party => ({
    isBulky,
    act: () => {
      const end = Bun.nanoseconds() + 4_000_000;
      while (Bun.nanoseconds() < end);
      acted++;
    },
    speak: () => {},
    settle: () => {},
  });
  return { turn, slow, acted: () => acted };
}

test("clients that have sent much make progress while others never stop", async () => {
  const { turn, slow, acted } = slowly();
  const speaker: Party = { isBulky: false, act: () => {}, speak: () => {}, settle: () => turn.add(speaker) };
  turn.add(speaker);
  for (let n = 0; n < 3; n++) turn.arrive(slow(true), false);
  for (let turns = 0; turns < 20; turns++) await endOfTurn();
  expect(acted()).toBe(3);
});

test.each([
  ["all in one turn", false, false],
  ["all at once", true, false],
  ["all with much input", false, true],
])(
  "clients that take long (%s) do not keep all others waiting for the last of them",
  async (_, atOnce, isBulky) => {
    const { turn, slow, acted } = slowly();
    for (let n = 0; n < 9; n++) turn.arrive(slow(isBulky), atOnce);
    expect(acted()).toBeLessThan(4);
    await endOfTurn();
    expect(acted()).toBeWithin(1, 8);
    for (let turns = 0; turns < 9; turns++) await endOfTurn();
    expect(acted()).toBe(9);
  },
);
