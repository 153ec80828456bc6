// Delivery of any number of mails. Servers end a connection after so many mails or refusals: then the next one is opened.
import { DeliveryError } from "./delivery-error.ts";
import { type Envelope, SmtpDelivery } from "./smtp-delivery.ts";
import { CLOSING } from "./smtp-replies.ts";
import type { SmtpTarget } from "./smtp-target.ts";

export class LastingDelivery {
  readonly #target: SmtpTarget;
  #current: SmtpDelivery;

  private constructor(target: SmtpTarget, first: SmtpDelivery) {
    this.#target = target;
    this.#current = first;
  }

  static async open(target: SmtpTarget): Promise<LastingDelivery> {
    return new LastingDelivery(target, await SmtpDelivery.open(target));
  }

  /** A connection that breaks in the middle of a mail is not opened anew: the server may have taken it. */
  async send(envelope: Envelope, mail: Uint8Array): Promise<string> {
    if (this.#current.isOver) await this.#openAnew();
    try {
      return await this.#current.send(envelope, mail);
    } catch (error) {
      if (!(error instanceof DeliveryError) || error.code !== CLOSING) throw error;
      await this.#openAnew();
      return this.#current.send(envelope, mail);
    }
  }

  close(): Promise<void> {
    return this.#current.close();
  }

  async #openAnew(): Promise<void> {
    await this.#current.close();
    this.#current = await SmtpDelivery.open(this.#target);
  }
}
