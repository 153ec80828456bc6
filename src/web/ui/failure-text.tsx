// Why something could not be had, and that nobody needs to reload the page for it.
import type { ApiFailure } from "../api/client.ts";
import { willBeTriedAgain } from "../state/until-answered.ts";

export function FailureText({ failure }: { failure: ApiFailure }) {
  return (
    <>
      {failure.message}
      {willBeTriedAgain(failure) && " This page tries again by itself."}
    </>
  );
}
