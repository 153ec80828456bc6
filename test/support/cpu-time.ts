// What something costs, whatever else the machine is busy with.

/** The time of this process's own so far. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
