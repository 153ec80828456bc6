// An address that refuses connections while this process runs. Its port belongs to our end of an open connection, so no
// other program can listen there.
const socket = { data() {} };
const listener = Bun.listen({ hostname: "127.0.0.1", port: 0, socket });
const held = await Bun.connect({ hostname: "127.0.0.1", port: listener.port, socket });
for (const each of [listener, held]) each.unref();

export const CLOSED_PORT = held.localPort;
export const CLOSED_ADDRESS = `127.0.0.1:${CLOSED_PORT}`;
