// The ingest bench with simulated servers: its logic, not its speed.
import { expect, test } from "bun:test";
import type { Load } from "../../scripts/bench/flood.ts";
import { measureIngest, PORTION_MAILS } from "../../scripts/bench/ingest.ts";
import type { ServerUnderTest } from "../../scripts/bench/server.ts";
import type { Figure } from "../../scripts/bench/table.ts";

/** Counts the mails that it was sent, and forgets `lost` mails of each load. */
class SimulatedServer implements ServerUnderTest {
  readonly pid = process.pid;
  readonly finds = null;
  #held = 0;

  constructor(
    readonly name: string,
    readonly smtpPort: number,
    readonly lost = 0,
  ) {}

  readonly listed = async () => this.#held;

  take({ mails }: Load): void {
    this.#held += mails - this.lost;
  }

  async stop(): Promise<void> {}
}

/** Returns the servers in the order in which they got a load. The parts of a warm-up count as one. */
async function measure(...servers: readonly [SimulatedServer, SimulatedServer]): Promise<string[]> {
  const order: string[] = [];
  const generate = async (port: number, load: Load) => {
    for (const server of servers.filter(({ smtpPort }) => smtpPort === port)) {
      if (load.mails !== PORTION_MAILS || order.at(-1) !== server.name) order.push(server.name);
      server.take(load);
    }
  };
  const report = { tell: () => {}, add: () => {} };
  const [mailkeep, ...others] = servers;
  const startMailkeep = async () => mailkeep;
  await measureIngest({ startMailkeep, others, isQuick: true, generate, hasTargets: true, report });
  return order;
}

test("a server that does not list all mails that it acknowledged ends the measurement", () => {
  const measured = measure(new SimulatedServer("Leaky", 1, 1), new SimulatedServer("smtp-sink", 2));
  return expect(measured).rejects.toThrow("Leaky lists 52,989 mails instead of 52,990");
});

test("the first server of a round is the last of the next round", async () => {
  const order = await measure(new SimulatedServer("one", 1), new SimulatedServer("two", 2));
  const [warmUp, rounds] = [order.slice(-12, -10), order.slice(-10)];
  expect(warmUp).toEqual(["one", "two"]);
  expect(rounds.join(" ")).toBe("one two two one one two two one one two");
});

test("figures measured before a failure are reported", async () => {
  const names: string[] = [];
  const add = (...figures: readonly Figure[]) => names.push(...figures.map(({ name }) => name));
  const generate = async (_: number, { connections }: Load) => {
    if (connections === 1) throw new Error("out of breath");
  };
  const played = (name: string, port: number) => ({
    ...new SimulatedServer(name, port),
    listed: null,
    stop: async () => {},
  });
  const measured = measureIngest({
    startMailkeep: async () => played("one", 1),
    others: [played("two", 2)],
    isQuick: true,
    generate,
    hasTargets: true,
    report: { tell: () => {}, add },
  });
  await expect(measured).rejects.toThrow("out of breath");
  expect(names).toContain("2 KB, 50 kept: acknowledged");
});

test("cases with a target are measured with five starts, all others with the first", async () => {
  const loads: number[] = [];
  let starts = 0;
  const played = (name: string, port: number) => ({ ...new SimulatedServer(name, port), listed: null });
  await measureIngest({
    startMailkeep: async () => ({ ...played("Mailkeep", ++starts), stop: async () => {} }),
    others: [{ ...played("smtp-sink", 100), stop: async () => {} }],
    isQuick: false,
    generate: async (port, { mails, kept }) => {
      if (!kept && mails < PORTION_MAILS) loads.push(port);
    },
    hasTargets: true,
    report: { tell: () => {}, add: () => {} },
  });
  expect(starts).toBe(5);
  expect(new Set(loads)).toEqual(new Set([1, 100]));
});
