// `import "mailkeep/cypress"` in the support file adds `cy.waitForMail({ to, subject })`. It uses
// cy.request, because browsers do not let a page under test send requests to another server.
import { assertUnderstood, describeTimeout } from "./errors.ts";
import { filterParameters, type MailFilter, type Since } from "./filter.ts";
import { contentOf, type MailContent } from "./mail.ts";
import { millisecondsOf, type TimeSpan } from "./time.ts";
import type { CodeList, HeaderList, LinkList, Message, ServiceInfo, WaitTimedOut } from "./types.ts";

export interface CypressWait {
  /** How long to wait at most; by default `"4s"`. */
  readonly timeout?: TimeSpan;
}

declare global {
  namespace Cypress {
    interface Chainable<Subject> {
      /** The first mail of this test that matches, with its code and links. */
      waitForMail(filter?: MailFilter, options?: CypressWait): Chainable<MailContent>;
    }
  }
}

interface Chain<Subject> {
  then<Next>(use: (subject: Subject) => Chain<Next> | Next): Chain<Next>;
}

interface Globals {
  readonly Cypress: {
    env(name: string): string | undefined;
    readonly Commands: {
      add(name: string, run: (filter?: MailFilter, options?: CypressWait) => Chain<MailContent>): void;
    };
  };
  readonly cy: {
    request<Body>(options: {
      url: string;
      failOnStatusCode: boolean;
      timeout: number;
    }): Chain<{ readonly body: Body; readonly headers: Readonly<Record<string, string>> }>;
  };
  beforeEach(run: () => void): void;
}

const globals = globalThis as unknown as Globals;

/**
 * How long an answer may take, in addition to the wait for a mail. By default, cy.request gives up
 * after 30 s, wait included.
 */
const ANSWER_MS = 30_000;

function ask<Body>(path: string, { failOnStatusCode = true, waitMs = 0 } = {}) {
  const url = globals.Cypress.env("MAILKEEP_URL") ?? "http://127.0.0.1:8025";
  return globals.cy.request<Body>({
    url: `${url.replace(/\/$/, "")}/api/v1${path}`,
    failOnStatusCode,
    timeout: ANSWER_MS + waitMs,
  });
}

/** Turns a span such as `"5m"` into a time, because the API's `since` takes no spans. */
function timeOf(since: Since): Since {
  const span = typeof since === "string" ? millisecondsOf(since) : Number.NaN;
  return Number.isNaN(span) ? since : new Date(Date.parse(testBegan) - span);
}

/** When the test began, by the server's clock. */
let testBegan = "";
globals.beforeEach(() => {
  ask<ServiceInfo>("/info").then(({ body }) => {
    testBegan = body.time;
  });
});

globals.Cypress.Commands.add("waitForMail", (filter = {}, { timeout = "4s" } = {}) => {
  const since = filter.since ?? testBegan;
  const { since: _, ...others } = filter;
  const asked = filterParameters(since === "all" ? others : { ...others, since: timeOf(since) });
  const query = new URLSearchParams([...asked, ["timeout", timeout]]);
  const waitMs = millisecondsOf(timeout) || 0;
  const options = { failOnStatusCode: false, waitMs };
  return ask<Message | WaitTimedOut>(`/messages/wait?${query}`, options).then(({ body, headers }) => {
    const hint = headers["mailkeep-hint"] ?? null;
    assertUnderstood(true, hint);
    if (!("id" in body)) {
      if (!("near_misses" in body)) throw new Error(String(Object(body).error ?? "Mailkeep did not answer"));
      throw new Error(describeTimeout({ filter, isSinceConnect: false, hint, timeoutMs: waitMs }, body));
    }
    const path = `/messages/${body.id}`;
    return ask<HeaderList>(`${path}/headers?include=addresses`).then(({ body: { headers } }) =>
      ask<LinkList>(`${path}/links`).then(({ body: { links } }) =>
        ask<CodeList>(`${path}/codes`).then(({ body: { codes } }) =>
          contentOf(body, { headers, links, codes }),
        ),
      ),
    );
  });
});
