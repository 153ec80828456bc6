// Many small mails in a short time: one connection, BDAT, everything pipelined.
const SENDER = "flood@example.com";
const ANSWERS_PER_MAIL = 3;

/** Sends "Mail 1" to "Mail <count>", in this order. */
export async function floodBySmtp(smtp: { host: string; port: number }, count: number): Promise<void> {
  const done = Promise.withResolvers<void>();
  // The first two answers are the greeting and the answer to HELO.
  let awaited = 2 + count * ANSWERS_PER_MAIL;
  const commands = Buffer.from(
    `HELO flood\r\n${Array.from({ length: count }, (_, index) => mail(index + 1)).join("")}`,
  );
  let sent = 0;
  const write = (socket: { write(bytes: Uint8Array): number }) => {
    while (sent < commands.length) {
      const taken = socket.write(commands.subarray(sent, sent + 65_536));
      sent += taken;
      if (taken === 0) return;
    }
  };
  const socket = await Bun.connect({
    hostname: smtp.host,
    port: smtp.port,
    socket: {
      open: write,
      drain: write,
      data: (_, bytes) => {
        for (const byte of bytes) if (byte === 10) awaited--;
        if (awaited <= 0) done.resolve();
      },
      error: (_, error) => done.reject(error),
      close: () => done.reject(new Error("Mailkeep closed the connection")),
    },
  });
  await done.promise;
  socket.end();
}

function mail(number: number): string {
  const message = `From: Flood <${SENDER}>\r\nTo: user@example.com\r\nSubject: Mail ${number}\r\n\r\nNumber ${number}.\r\n`;
  return `MAIL FROM:<${SENDER}>\r\nRCPT TO:<user@example.com>\r\nBDAT ${message.length} LAST\r\n${message}`;
}
