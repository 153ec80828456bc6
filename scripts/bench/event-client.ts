// A WebSocket client on a bare socket, so that the client is not the bottleneck at thousands of frames a second. It
// reads text frames and answers pings.
import type { Socket } from "bun";

const OPCODE = 0x0f;
const TEXT = 1;
const PING = 9;
const CLOSE = 8;
const LENGTH_16 = 126;
const HEAD_END = Buffer.from("\r\n\r\n");
const EMPTY = Buffer.alloc(0);
/** A pong frame without content, masked with zeros. */
const PONG = Uint8Array.of(0x8a, 0x80, 0, 0, 0, 0);

export class EventClient {
  readonly #onText: (frame: Buffer) => void;
  readonly #opened = Promise.withResolvers<void>();
  #rest: Buffer = EMPTY;
  #isOpen = false;
  #socket: Socket | null = null;
  isLost = false;

  private constructor(onText: (frame: Buffer) => void) {
    this.#onText = onText;
  }

  static async connect(http: string, onText: (frame: Buffer) => void): Promise<EventClient> {
    const { hostname, port, host } = new URL(http);
    const client = new EventClient(onText);
    client.#socket = await Bun.connect({
      hostname,
      port: Number(port),
      socket: {
        data: (socket, bytes) => client.#received(socket, bytes),
        close: () => {
          client.isLost = true;
          client.#opened.reject(new Error("the server closed a WebSocket"));
        },
      },
    });
    client.#socket.write(
      [
        "GET /api/v1/ws HTTP/1.1",
        `Host: ${host}`,
        "Upgrade: websocket",
        "Connection: Upgrade",
        "Sec-WebSocket-Version: 13",
        `Sec-WebSocket-Key: ${crypto.getRandomValues(new Uint8Array(16)).toBase64()}`,
        "\r\n",
      ].join("\r\n"),
    );
    await client.#opened.promise;
    return client;
  }

  close(): void {
    this.#socket?.terminate();
  }

  #received(socket: Socket, bytes: Buffer): void {
    let data = this.#rest.length === 0 ? bytes : Buffer.concat([this.#rest, bytes]);
    if (!this.#isOpen) {
      const end = data.indexOf(HEAD_END);
      if (end === -1) {
        this.#rest = data;
        return;
      }
      this.#isOpen = true;
      data = data.subarray(end + HEAD_END.length);
      this.#opened.resolve();
    }
    this.#rest = Buffer.from(this.#frames(socket, data));
  }

  /** Reads the complete frames in `data` and returns the rest. */
  #frames(socket: Socket, data: Buffer): Buffer {
    let at = 0;
    while (data.length - at >= 4) {
      const short = data.readUInt8(at + 1);
      const head = short === LENGTH_16 ? 4 : 2;
      const length = short === LENGTH_16 ? data.readUInt16BE(at + 2) : short;
      const end = at + head + length;
      if (end > data.length) break;
      const opcode = data.readUInt8(at) & OPCODE;
      if (opcode === TEXT) this.#onText(data.subarray(at + head, end));
      if (opcode === PING) socket.write(PONG);
      if (opcode === CLOSE) this.isLost = true;
      at = end;
    }
    return data.subarray(at);
  }
}
