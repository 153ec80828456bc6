// What a session says first, and about itself: the same for everybody, so it is put together once for each policy.
import { announcedKeywords, type SessionPolicy, usableVerbs } from "./policy.ts";
import { extendedHelloReply, greeting, helloReply, helpReply, type Reply } from "./replies.ts";

/** By whether the connection is encrypted. */
interface BySecrecy {
  readonly plain: Reply;
  readonly secure: Reply;
}

export interface Welcome {
  readonly greeting: Reply;
  readonly hello: Reply;
  readonly extendedHello: BySecrecy;
  readonly help: BySecrecy;
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
    help: { plain: helpReply(usableVerbs(policy, false)), secure: helpReply(usableVerbs(policy, true)) },
  };
}
