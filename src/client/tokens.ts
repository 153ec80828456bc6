// Creates, lists and revokes tokens; for administrators.
import { refuseBlank } from "./options.ts";
import type { Transport } from "./transport.ts";
import type { CreatedToken, Token, TokenList, TokenRequest } from "./types.ts";

const ROUTE = "/api/v1/tokens";

export class Tokens {
  readonly #transport: Transport;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  /** `token` in the answer is shown only once. */
  async create(request: TokenRequest): Promise<CreatedToken> {
    refuseBlank(request, ["inbox", "inboxes"]);
    return this.#transport.json(ROUTE, "token", { method: "POST", json: request });
  }

  async list(): Promise<Token[]> {
    return (await this.#transport.json<TokenList>(ROUTE, "tokens")).tokens;
  }

  async revoke(id: string): Promise<void> {
    await this.#transport.send(`${ROUTE}/${encodeURIComponent(id)}`, { method: "DELETE" });
  }
}
