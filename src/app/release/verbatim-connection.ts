// nodemailer's SMTP client with one change: the message's bytes go out unchanged.
// Its own data stream turns every lone CR and LF into CR LF.
import type { Transform } from "node:stream";
import SMTPConnection from "nodemailer/lib/smtp-connection";
import { DotStuffer } from "./dot-stuffer.ts";

type SendCallback = (error: Error | null, response?: string) => void;

/** What the class below needs of nodemailer's inside; the release tests fail when it is gone. */
interface WithSendStream {
  _createSendStream(callback: SendCallback): Transform;
}

export class VerbatimConnection extends SMTPConnection {
  _createSendStream(callback: SendCallback): Transform {
    const inherited = (SMTPConnection.prototype as unknown as WithSendStream)._createSendStream;
    const stream = inherited.call(this, callback);
    const stuffer = new DotStuffer();
    stream._transform = (chunk: Uint8Array, _encoding, done) => {
      try {
        done(null, stuffer.push(chunk));
      } catch (error) {
        // Nothing more is sent; whoever called closes the connection, and the server drops what it has.
        callback(error as Error);
      }
    };
    stream._flush = (done) => {
      stream.push(stuffer.finish());
      done();
    };
    return stream;
  }
}
