// Processor time, which does not depend on other work of the machine.

/** The processor time of this process so far. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
