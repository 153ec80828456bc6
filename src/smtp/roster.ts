// The connections of a server, in no order. Not a Set: each time that one makes room, what it held before stays
// reachable for the quick collections of garbage, and so did connections that were gone, with clients that come and
// go all the time.

export interface Member {
  /** Where it stands; the roster's own. */
  place: number;
}

export const NOWHERE = -1;

export class Roster<Of extends Member> {
  readonly #members: Of[] = [];

  get size(): number {
    return this.#members.length;
  }

  add(member: Of): void {
    member.place = this.#members.length;
    this.#members.push(member);
  }

  /** False when it was not there. */
  remove(member: Of): boolean {
    if (this.#members[member.place] !== member) return false;
    const last = this.#members.pop() as Of;
    if (last !== member) {
      this.#members[member.place] = last;
      last.place = member.place;
    }
    member.place = NOWHERE;
    return true;
  }

  /** Any of them may leave meanwhile. */
  *[Symbol.iterator](): Generator<Of, void, void> {
    for (const member of [...this.#members]) if (member.place !== NOWHERE) yield member;
  }
}
