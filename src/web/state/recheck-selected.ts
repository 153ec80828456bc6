// After events were missed: what is ticked may be gone, also where the list is not fetched.
import { getSummaries } from "../api/messages.ts";
import { selected, unselect } from "./selection.ts";
import { renewable } from "./until-answered.ts";
import { ids, removeFromView } from "./view.ts";

export const recheckSelected = renewable(async () => {
  const ticked = [...selected.peek()];
  if (ticked.length === 0) return;
  const there = new Set((await getSummaries(ticked)).map(({ id }) => id));
  const gone = ticked.filter((id) => !there.has(id));
  const listed = new Set(ids.peek());
  unselect(new Set(gone));
  removeFromView(new Set(gone.filter((id) => listed.has(id))));
});
