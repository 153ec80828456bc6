// The list of open connections, and the two limits on how many clients are admitted.
import { expect, test } from "bun:test";
import { Connections } from "../../src/smtp/connections.ts";

const client = (name: number, admitted = true) => ({ name, address: `10.0.0.${name}`, admitted });
type Client = ReturnType<typeof client>;

function connected(count: number) {
  const connections = new Connections<Client>(4, 2);
  const clients = Array.from({ length: count }, (_, name) => client(name));
  for (const one of clients) connections.add(one);
  return { connections, clients, at: (name: number) => clients[name] as Client };
}

test("a client that was added stays when others leave in any order", () => {
  const { connections, at } = connected(5);
  for (const leaving of [0, 4, 2]) expect(connections.remove(at(leaving))).toBe(true);
  expect(connections.all.map(({ name }) => name).sort()).toEqual([1, 3]);
  expect(connections.size).toBe(2);
});

test("removing an unknown connection, or one twice, changes nothing", () => {
  const { connections, at } = connected(1);
  expect(connections.remove(client(1))).toBe(false);
  expect(connections.remove(at(0))).toBe(true);
  expect(connections.remove(at(0))).toBe(false);
  expect({ size: connections.size, admitted: connections.admitted }).toEqual({ size: 0, admitted: 0 });
});

test("limits apply to all connections and to each address; refused connections do not count", () => {
  const { connections, at } = connected(2);
  connections.add(client(0));
  connections.add(client(7, false));
  expect(connections.mayAdmit("10.0.0.0")).toBe(false);
  expect(connections.mayAdmit("10.0.0.1")).toBe(true);
  connections.add(client(2));
  expect(connections.mayAdmit("10.0.0.1")).toBe(false);
  connections.remove(at(1));
  expect(connections.mayAdmit("10.0.0.1")).toBe(true);
});
