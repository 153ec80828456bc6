import { expect, test } from "bun:test";
import { addressesIn } from "../../src/cli/mail/envelope.ts";

const cases: [list: string, addresses: string[]][] = [
  ["", []],
  ["a@x", ["a@x"]],
  ["Ann <a@x>, b@x", ["a@x", "b@x"]],
  ['"Lee, Bo" <b@x>, "a,b"@x', ["b@x", '"a,b"@x']],
  ['"5\\" disk, new" <b@x>, a@x', ["b@x", "a@x"]],
  ["Team: e@x, root, Ann <a@x>;, b@x", ["e@x", "root", "a@x", "b@x"]],
  ["undisclosed-recipients:;", []],
  ["a@[IPv6:::1], b@x", ["a@[IPv6:::1]", "b@x"]],
  // A comma in a name without quotes
  ["Doe, John <j@x>", ["j@x"]],
  ["Doe, John <j@x>, Roe, Jane <r@x>, a@x", ["j@x", "r@x", "a@x"]],
  ["a@x, van Doe, John Jr. <j@x>", ["a@x", "j@x"]],
  ["ACME, Inc., West <a@x>, =?utf-8?q?doe?=, john <j@x>", ["a@x", "j@x"]],
  ["root, admin, Ann <a@x>", ["root", "admin", "a@x"]],
  ["Doe, John (Sales, West) <j@x>, root (Cron Daemon), Ann <a@x>", ["j@x", "root", "a@x"]],
  ["Team: Doe, John <j@x>;", ["j@x"]],
  ["Doe, j@x", ["Doe", "j@x"]],
  ["Team: root, Ann <a@x>;", ["root", "a@x"]],
  // A bracket that was left open
  ["Ann <a@x, Bob <b@x Eve <e@x>; c@x", ["a@x", "b@x", "e@x", "c@x"]],
  ["Ann <a@x, b@x", ["a@x", "b@x"]],
  ['Ann <@r,@s:a@x>, "Bo <b@x, Lee" <c@x>', ["a@x", "c@x"]],
  // A comma that is missing
  ["Ann <a@x> Bob <b@x> <c@x>, d@x", ["a@x", "b@x", "c@x", "d@x"]],
  ["a@x b@x\n c@x, d@x", ["a@x", "b@x", "c@x", "d@x"]],
  ["a@x.test b@x.test <c@x.test>, d@x <e@x>", ["c@x.test", "e@x"]],
  ["Ann <a@x> (at <b@x>), Eve <e@x>", ["a@x", "e@x"]],
  ['"Ann <a@x> Bob <b@x>" <c@x>', ["c@x"]],
  // A comma between addresses, encoded by Python
  ["a@x =?utf-8?q?=2C?= b@x, Ann <c@x> =?utf-8?q?=2C?= d@x", ["a@x", "b@x", "c@x", "d@x"]],
  ["a@x =?utf-8?q?=2C?= =?utf-8?q?Doe=2C?= Ann <b@x>", ["a@x", "b@x"]],
  // Local users
  ["root", ["root"]],
  ["root, a@x", ["root", "a@x"]],
  ["root, Ann <a@x>", ["root", "a@x"]],
  ["root (Cron Daemon)", ["root"]],
  ['(a, (b) "c) Root <root>, (<x>) ann (5" disk, old)', ["root", "ann"]],
  ["root,,www-data; user+tag", ["root", "www-data", "user+tag"]],
  ['"root"', ["root"]],
  // A name without an address
  ["Ann Lee", []],
  ["Ann Lee, PhD Bo <b@x>", ["b@x"]],
  ["Ann <>", []],
  ["(root)", []],
];
test.each(cases)("the addresses in %p are %p", (list, addresses) => {
  expect(addressesIn(Buffer.from(list).toString("latin1"))).toEqual(addresses);
});
