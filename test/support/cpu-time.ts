// Processor time, which does not depend on other work of the machine.

/** The time of this process's own so far. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
