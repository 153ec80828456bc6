// The forwarding headers count only from proxies that the settings name: anybody else could send them, too.
import { BlockList, isIPv6 } from "node:net";

export function trustedProxies(networks: readonly string[]) {
  const trusted = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = isIPv6(address) ? "ipv6" : "ipv4";
    if (bits === undefined) trusted.addAddress(address, family);
    else trusted.addSubnet(address, Number(bits), family);
  }
  const isTrusted = (given: string) => {
    // An IPv4 client of a socket for both.
    const address = given.replace(/^::ffff:(?=\d+\.)/i, "");
    return trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  };

  return {
    areAny: networks.length > 0,

    /** The nearest address that is not a proxy's: those further away may be forged. */
    clientOf({ headers }: Request, peer: string): string {
      if (networks.length === 0 || !isTrusted(peer)) return peer;
      const chain = [...listIn(headers.get("x-forwarded-for")), peer];
      return chain.findLast((address) => !isTrusted(address)) ?? peer;
    },

    /** Null when no proxy says it. */
    schemeOf({ headers }: Request, peer: string): "http" | "https" | null {
      const given = isTrusted(peer) ? listIn(headers.get("x-forwarded-proto")).at(-1)?.toLowerCase() : null;
      return given === "http" || given === "https" ? given : null;
    },

    /** The request as the client has sent it to the proxy. The same object: only that can become a WebSocket. */
    asAsked(request: Request, peer: string): Request {
      const host = isTrusted(peer) ? listIn(request.headers.get("x-forwarded-host")).at(-1) : undefined;
      if (host !== undefined) request.headers.set("host", host);
      return request;
    },
  };
}

const listIn = (header: string | null): string[] =>
  (header ?? "").split(",").flatMap((item) => item.trim() || []);
