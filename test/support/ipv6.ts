// Whether this machine has an IPv6 loopback. Containers often have none.
import { networkInterfaces } from "node:os";

export const hasIpv6: boolean = Object.values(networkInterfaces()).some((addresses) =>
  addresses?.some(({ address }) => address === "::1"),
);
