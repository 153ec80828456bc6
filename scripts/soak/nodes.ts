// `npm run soak -- --nodes ROUNDS`: two nodes on one PostgreSQL. In every round both take mail while a connection to
// PostgreSQL, a node or PostgreSQL itself is killed. No mail may be lost, duplicated or out of order.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { listAll } from "../../test/support/mailbox.ts";
import { type Running, startMailkeep } from "../../test/support/mailkeep.ts";
import { deliver } from "../../test/support/smtp-client.ts";
import { findPostgres, type Postgres, startPostgres } from "../postgres.ts";

const MAILS = 10;
const CHECK_EVERY = 10;
const KILL_NODE_EVERY = 25;
const KILL_POSTGRES_EVERY = 40;
const CLEAR_EVERY = 50;
const KILL_ONE = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE application_name = 'mailkeep' ORDER BY random() LIMIT 1`;

/** Gets events of all mail. After a lost connection it continues at the other node. */
class Listener {
  readonly heard: string[] = [];
  reloads = 0;
  #last: number | null = null;
  #socket: WebSocket | null = null;
  #isOver = false;

  async connect(nodes: readonly Running[], at: number): Promise<void> {
    const since = this.#last === null ? "resume=true" : `since=${this.#last}`;
    const address = `${nodes[at % nodes.length]?.http.replace("http", "ws")}/api/v1/ws?${since}`;
    const opened = Promise.withResolvers<void>();
    const socket = new WebSocket(address);
    this.#socket = socket;
    socket.onopen = () => opened.resolve();
    socket.onmessage = ({ data }) => {
      const { type, seq, data: mail } = JSON.parse(data);
      this.#last = seq;
      if (type === "message:new") this.heard.push(mail.id);
    };
    socket.onclose = ({ code }) => {
      opened.resolve();
      if (code === 4001) this.reloads++;
      if (!this.#isOver) setTimeout(() => void this.connect(nodes, at + 1), 50);
    };
    await opened.promise;
  }

  close(): void {
    this.#isOver = true;
    this.#socket?.close();
  }
}

export async function eventually(holds: () => boolean | Promise<boolean>): Promise<boolean> {
  for (const deadline = performance.now() + 30_000; performance.now() < deadline; await Bun.sleep(50))
    if (await holds()) return true;
  return false;
}

const isHealthy = ({ http }: Running): Promise<boolean> =>
  fetch(`${http}/api/v1/health`).then(
    ({ ok }) => ok,
    () => false,
  );

export async function soakNodes(rounds: number): Promise<boolean> {
  const programs = findPostgres();
  if (programs === null) throw new Error("PostgreSQL is not installed");
  const folder = mkdtempSync(join(tmpdir(), "mailkeep-soak-"));
  const postgres = await startPostgres(programs);
  const environment = { MAILKEEP_STORE: await postgres.createDatabase() };
  const start = (at: number) => startMailkeep({ dataDir: join(folder, `node-${at}`), environment });
  const nodes = [await start(0), await start(1)];
  const listener = new Listener();
  await listener.connect(nodes, 0);
  const problems: string[] = [];
  const all: string[] = [];
  let acknowledged: string[] = [];
  let refused = 0;
  for (let round = 1; round <= rounds; round++) {
    const sending = Array.from({ length: MAILS }, async (_, n) => {
      try {
        const { smtpPort } = nodes[n % 2] as Running;
        acknowledged.push(await deliver(smtpPort, { raw: `Subject: ${round}-${n}\r\n\r\nbody\r\n` }));
      } catch {
        refused++;
      }
    });
    await disturb(round, nodes, postgres, start);
    await Promise.all(sending);
    if (round % CHECK_EVERY === 0) {
      for (const node of nodes)
        if (!(await eventually(() => isHealthy(node)))) problems.push(`round ${round}: a node stays ill`);
      problems.push(...(await differences(nodes, acknowledged)).map((text) => `round ${round}: ${text}`));
    }
    if (round % CLEAR_EVERY === 0) {
      all.push(...acknowledged.splice(0));
      acknowledged = [];
      await fetch(`${nodes[round % 2]?.http}/api/v1/messages`, { method: "DELETE" });
    }
  }
  all.push(...acknowledged);
  const heard = () => new Set(listener.heard);
  await eventually(() => all.every((id) => heard().has(id)));
  const unheard = all.filter((id) => !heard().has(id)).length;
  if (unheard > 0) problems.push(`${unheard} events were lost`);
  if (listener.heard.length !== heard().size) problems.push("an event came twice");
  if (listener.heard.join() !== listener.heard.toSorted().join()) problems.push("events were out of order");
  if (listener.reloads > 0) problems.push(`${listener.reloads} times a resume was refused`);
  listener.close();
  for (const node of nodes) await node.stop();
  await postgres.stop();
  rmSync(folder, { recursive: true, force: true });
  console.log(
    `nodes: ${rounds} rounds, ${all.length} mails acknowledged, ${refused} refused, ${problems.length} problems`,
  );
  for (const problem of problems.slice(0, 20)) console.log(`  ${problem}`);
  return problems.length === 0;
}

async function disturb(
  round: number,
  nodes: Running[],
  postgres: Postgres,
  start: (at: number) => Promise<Running>,
): Promise<void> {
  if (round % KILL_POSTGRES_EVERY === 0) {
    await postgres.kill();
    await postgres.start();
  } else if (round % KILL_NODE_EVERY === 0) {
    const at = (round / KILL_NODE_EVERY) % 2;
    nodes[at]?.process.kill("SIGKILL");
    await nodes[at]?.process.exited;
    nodes[at] = await start(at);
  } else await postgres.run(KILL_ONE);
}

/** Both nodes must list the same mails, newest first, and each acknowledged mail once. */
async function differences(nodes: readonly Running[], acknowledged: readonly string[]): Promise<string[]> {
  const lists = await Promise.all(nodes.map(({ http }) => listAll(http)));
  const [one = [], other = []] = lists;
  const ids = one.map(({ id }) => id);
  const found: string[] = [];
  const missing = acknowledged.filter((id) => !ids.includes(id));
  if (missing.length > 0) found.push(`${missing.length} acknowledged mails are missing`);
  if (ids.join() !== other.map(({ id }) => id).join()) found.push("the nodes list different mails");
  if (ids.join() !== ids.toSorted().reverse().join()) found.push("ids are out of order");
  if (new Set(one.map(({ subject }) => subject)).size !== ids.length) found.push("a mail is there twice");
  return found;
}
