import { describe, expect, test } from "bun:test";
import { formatRoute, parseRoute, pathBelow } from "../../src/web/api/address.ts";

describe("an address stays the same when it is parsed and written again", () => {
  test.each([
    "/",
    "/?q=order+no&unread=true&tag=a&tag=b&to=ann%40example.com",
    "/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV",
    "/messages/01ARZ3NDEKTSV4RRFFQ69G5FAV?starred=true&tab=source",
  ])("%p", (address) => {
    expect(formatRoute(parseRoute(new URL(address, "http://localhost")))).toBe(address);
  });
});

test.each([
  ["/mail", "/"],
  ["/mail/", "/"],
  ["/mail/messages/x", "/messages/x"],
  ["/mailbox", "/mailbox"],
  ["/messages/x", "/messages/x"],
])("below /mail, or at the root, %p is %p of Mailkeep", (path, own) => {
  expect(pathBelow("/mail", path)).toBe(own);
});
