// Preloaded into the program: the function named by THROWS fails for a mail with the subject "poison".
const SUBJECT = "poison";
const fail = (detail: string): never => {
  throw new Error(`${detail} met poison`);
};

const FAULTS: Readonly<Record<string, () => void>> = {
  /** Fails for the first four WebSocket frames that contain the subject. */
  send: () => {
    const serve = Bun.serve;
    let failures = 0;
    Bun.serve = ((options: { websocket?: Bun.WebSocketHandler<unknown> }) => {
      const { open } = options.websocket ?? {};
      if (options.websocket && open) {
        options.websocket.open = (client) => {
          const send = client.send.bind(client);
          client.send = (data, ...more) =>
            String(data).includes(SUBJECT) && failures++ < 4 ? fail("send") : send(data, ...more);
          return open(client);
        };
      }
      return serve(options as Parameters<typeof serve>[0]);
    }) as typeof serve;
  },
  /** Fails in the filter of a client that waits for the subject "three". */
  filter: () => {
    const includes = String.prototype.includes;
    String.prototype.includes = function (...given) {
      const isFilter = this.valueOf() === SUBJECT && given[0] === "three";
      return isFilter ? fail("filter") : includes.apply(this, given);
    };
  },
  /** Fails for the first request to a webhook. The error message contains all secrets. */
  fetch: () => {
    const original = globalThis.fetch;
    const poisoned = (url: string | URL | Request, init?: RequestInit) => {
      if (!String(init?.body).includes(SUBJECT)) return original(url, init);
      globalThis.fetch = original;
      return fail(`${url} ${JSON.stringify([...new Headers(init?.headers)])}`);
    };
    globalThis.fetch = Object.assign(poisoned, { preconnect: original.preconnect });
  },
};

FAULTS[process.env.THROWS ?? ""]?.();
