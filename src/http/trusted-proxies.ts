// Forwarding headers count only if they come from proxies that the settings name: anybody could send them.
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
    // The form of an IPv4 client on a socket that also takes IPv6.
    const address = given.replace(/^::ffff:(?=\d+\.)/i, "");
    return trusted.check(address, isIPv6(address) ? "ipv6" : "ipv4");
  };

  return {
    areAny: networks.length > 0,

    /** The nearest address that is not a proxy. Those further away may be forged. */
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

    /**
     * The request as the client sent it to the proxy. It is changed in place, because only the original can become a
     * WebSocket.
     */
    asAsked(request: Request, peer: string): Request {
      const host = isTrusted(peer) ? listIn(request.headers.get("x-forwarded-host")).at(-1) : undefined;
      if (host !== undefined) request.headers.set("host", host);
      return request;
    },
  };
}

const listIn = (header: string | null): string[] =>
  (header ?? "").split(",").flatMap((item) => item.trim() || []);
