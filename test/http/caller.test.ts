import { expect, test } from "bun:test";
import { callerOf, inPlaceOf, setCaller } from "../../src/http/caller.ts";

test("a request in place of another has its caller; one that did not pass access has none", () => {
  const request = new Request("http://localhost/a");
  const caller = { name: "ann", role: "read", inboxes: ["a"] } as const;
  setCaller(request, caller);
  const replacement = inPlaceOf(request, new Request("http://localhost/b"));
  expect(callerOf(replacement)).toEqual(caller);
  expect(() => callerOf(new Request("http://localhost/c"))).toThrow();
});
