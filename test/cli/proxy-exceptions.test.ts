import { expect, test } from "bun:test";
import { proxyExceptions } from "../../src/cli/command/hosts.ts";

const LOOPBACK = "localhost,127.0.0.1,::1";

test.each<[string, Record<string, string>, string | undefined]>([
  ["nothing changes without a proxy", { NO_PROXY: "corp.example" }, undefined],
  [
    "nothing changes if no host is reached by a proxy",
    { HTTP_PROXY: "http://p:1", NO_PROXY: "*" },
    undefined,
  ],
  ["this machine is reached without the proxy", { http_proxy: "http://p:1" }, LOOPBACK],
  ["and without one for https", { HTTPS_PROXY: "http://p:1" }, LOOPBACK],
  [
    "other exceptions stay",
    { HTTP_PROXY: "http://p:1", NO_PROXY: "corp.example" },
    `corp.example,${LOOPBACK}`,
  ],
  [
    "the spelling that wins is kept",
    { ALL_PROXY: "http://p:1", NO_PROXY: "a", no_proxy: "b" },
    `b,${LOOPBACK}`,
  ],
])("%s", (_rule, environment, exceptions) => {
  const { no_proxy, NO_PROXY } = proxyExceptions(environment);
  expect([no_proxy, NO_PROXY]).toEqual([exceptions, exceptions]);
});
