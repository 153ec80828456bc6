// On a narrow page the list is not there while a message is read; the way to the mails beside it goes on.
import "./support/page.ts";

import { afterAll, beforeAll, expect, test } from "bun:test";
import { isNarrow } from "../../../src/web/state/layout.ts";
import { placeOpened, reloadView } from "../../../src/web/state/load-view.ts";
import { fetchNearOpened } from "../../../src/web/state/near-opened.ts";
import { navigate } from "../../../src/web/state/route.ts";
import { ids, neighbour } from "../../../src/web/state/view.ts";
import { until } from "../../support/until.ts";
import { flood, inPage } from "./support/page.ts";

inPage();

let all: string[] = [];
let stop = () => {};

beforeAll(async () => {
  all = await flood(350);
  isNarrow.value = true;
  stop = fetchNearOpened();
});

afterAll(() => {
  stop();
  isNarrow.value = false;
});

test("the hundredth message was the last that the next key led to", async () => {
  await reloadView();
  navigate({ id: all[99] });
  await until(() => ids.peek()[100] !== undefined);
  expect(neighbour(all[99], 1)).toBe(all[100] ?? "");
});

test("no key led to the message before one that was opened by its address", async () => {
  navigate({ id: all[300] });
  await reloadView();
  await placeOpened();
  await until(() => ids.peek()[299] !== undefined);
  expect(neighbour(all[300], -1)).toBe(all[299] ?? "");
});
