// A receiver of webhooks that keeps all requests and answers as a test wants.
import type { TlsKeyPair } from "../../src/smtp/index.ts";

export interface Notice {
  readonly method: string;
  readonly path: string;
  readonly headers: Record<string, string>;
  readonly body: string;
}

export type Answer = (request: Request, count: number) => Response | Promise<Response>;

export function startWebhookReceiver(answer: Answer = () => new Response("thanks"), tls?: TlsKeyPair) {
  const notices: Notice[] = [];
  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    ...(tls && { tls }),
    async fetch(request) {
      const { pathname, search } = new URL(request.url);
      const { method, headers } = request;
      notices.push({
        method,
        path: pathname + search,
        headers: Object.fromEntries(headers),
        body: await request.text(),
      });
      return answer(request, notices.length);
    },
  });
  const host = `127.0.0.1:${server.port}`;
  return { notices, host, url: `http://${host}`, stop: () => server.stop(true) };
}

export const hang: Answer = () => new Promise<Response>(() => {});

export const subjectsOf = (notices: readonly Notice[]): string[] =>
  notices.map(({ body }) => JSON.parse(body).data.subject);
