/** The processor time of this process so far. Unlike wall-clock time, it hardly depends on other processes. */
export const cpuMs = (): number => {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
};
