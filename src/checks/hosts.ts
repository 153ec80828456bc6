// Tells local hosts from public ones.
import { BlockList, isIP } from "node:net";
import { unbracketed } from "../lib/hosts.ts";

function networks(list: string): BlockList {
  const blocks = new BlockList();
  for (const network of list.split(" ")) {
    const [address = "", prefix] = network.split("/");
    blocks.addSubnet(address, Number(prefix), familyOf(address));
  }
  return blocks;
}

const familyOf = (address: string) => (isIP(address) === 4 ? "ipv4" : "ipv6");

/** This machine and private networks. */
const LOCAL_NETWORKS =
  "0.0.0.0/8 10.0.0.0/8 127.0.0.0/8 169.254.0.0/16 172.16.0.0/12 192.168.0.0/16 ::/127 fc00::/7 fe80::/10";
const LOCAL = networks(LOCAL_NETWORKS);
/**
 * Not public by RFC 6890 and its updates, or multicast. Tunnels in 2001::/23 and 2002::/16 could
 * lead to private hosts.
 */
const PRIVATE = networks(
  `${LOCAL_NETWORKS} 100.64.0.0/10 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 198.18.0.0/15 198.51.100.0/24 ` +
    "203.0.113.0/24 224.0.0.0/3 2001::/23 2001:db8::/32 2002::/16",
);
const GLOBAL_IPV6 = networks("2000::/3");

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  if (family === 0 || PRIVATE.check(address, familyOf(address))) return false;
  return family === 4 || GLOBAL_IPV6.check(address, "ipv6");
}

/** Names without a dot, such as services of Compose, and domains that are never public (some by RFC 6761, 6762, 8375). */
const LOCAL_NAMES = /^[^.]+$|(^|\.)(localhost|localdomain|local|test|internal|lan|home|corp|home\.arpa)$/;

/** Expects a host as the URL parser writes it: in lower case. */
export function isLocalHost(host: string): boolean {
  const address = unbracketed(host);
  return isIP(address) === 0
    ? LOCAL_NAMES.test(host.replace(/\.$/, ""))
    : LOCAL.check(address, familyOf(address));
}
