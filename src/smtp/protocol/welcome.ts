// What a session says first: the same for everybody, so it is put together once for each policy.
import { announcedKeywords, type SessionPolicy } from "./policy.ts";
import { extendedHelloReply, greeting, helloReply, type Reply } from "./replies.ts";

export interface Welcome {
  readonly greeting: Reply;
  readonly hello: Reply;
  /** By whether the connection is encrypted. */
  readonly extendedHello: { readonly plain: Reply; readonly secure: Reply };
}

const known = new WeakMap<SessionPolicy, Welcome>();

export function welcomeOf(policy: SessionPolicy): Welcome {
  let welcome = known.get(policy);
  if (welcome === undefined) {
    welcome = makeWelcome(policy);
    known.set(policy, welcome);
  }
  return welcome;
}

function makeWelcome(policy: SessionPolicy): Welcome {
  const { serverName } = policy;
  return {
    greeting: greeting(serverName),
    hello: helloReply(serverName),
    extendedHello: {
      plain: extendedHelloReply(serverName, announcedKeywords(policy, false)),
      secure: extendedHelloReply(serverName, announcedKeywords(policy, true)),
    },
  };
}
