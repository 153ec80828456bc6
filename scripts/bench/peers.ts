// Other mail catchers that are on PATH or named by --peer name=/path.
import { join } from "node:path";
import { freePort } from "../postgres.ts";
import { type ServerUnderTest, start, stop, untilListening } from "./server.ts";

export type PeerName = "mailpit" | "mailhog" | "rustmail" | "maildev";

interface Ports {
  readonly smtp: number;
  readonly http: number;
  readonly folder: string;
}

interface PeerKind {
  readonly args: (ports: Ports) => string[];
  /** Returns the path of a search for a word. */
  readonly search: (word: string) => string;
  /** Whether the answer to this search contains a mail. */
  readonly found: (answer: Record<string, unknown>, word: string) => boolean;
}

const PEERS: Readonly<Record<PeerName, PeerKind>> = {
  mailpit: {
    args: ({ smtp, http, folder }) => [
      ...["--smtp", `127.0.0.1:${smtp}`, "--listen", `127.0.0.1:${http}`],
      ...["--database", join(folder, "mailpit.db"), "--max", "0", "--quiet"],
    ],
    search: (word) => `/api/v1/search?query=${word}&limit=1`,
    found: ({ messages_count }) => Number(messages_count) > 0,
  },
  mailhog: {
    args: ({ smtp, http }) => [
      ...["-smtp-bind-addr", `127.0.0.1:${smtp}`, "-api-bind-addr", `127.0.0.1:${http}`],
      ...["-ui-bind-addr", `127.0.0.1:${http}`],
    ],
    search: (word) => `/api/v2/search?kind=containing&query=${word}&limit=1`,
    found: ({ total }) => Number(total) > 0,
  },
  rustmail: {
    args: ({ smtp, http, folder }) => [
      ...["serve", "--smtp-port", String(smtp), "--http-port", String(http)],
      ...["--db-path", join(folder, "rustmail.db")],
    ],
    search: (word) => `/api/v1/messages?q=${word}&limit=1`,
    found: ({ total }) => Number(total) > 0,
  },
  maildev: {
    args: ({ smtp, http, folder }) => [
      ...["--smtp", String(smtp), "--web", String(http), "--ip", "127.0.0.1"],
      ...["--mail-directory", folder, "--silent"],
    ],
    search: (word) => `/email?subject=${word}`,
    found: (answer) => Array.isArray(answer) && answer.length > 0,
  },
};

export const PEER_NAMES = Object.keys(PEERS) as PeerName[];

export const isPeerName = (name: string): name is PeerName => Object.hasOwn(PEERS, name);

export async function startPeer(
  name: PeerName,
  executable: string,
  folder: string,
): Promise<ServerUnderTest> {
  const ports = { smtp: freePort(), http: freePort(), folder };
  const { args, search, found } = PEERS[name];
  const child = start([executable, ...args(ports)]);
  for (const port of [ports.smtp, ports.http]) {
    await untilListening(port).catch((error) => {
      throw new Error(`${name} (${executable}) is not ready: ${error.message}`);
    });
  }
  return {
    name,
    pid: child.pid,
    smtpPort: ports.smtp,
    finds: async (word) => {
      const response = await fetch(`http://127.0.0.1:${ports.http}${search(word)}`);
      return response.ok && found((await response.json()) as Record<string, unknown>, word);
    },
    listed: null,
    stop: () => stop(child),
  };
}
